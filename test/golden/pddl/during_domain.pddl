(define (domain task-domain)
 (:requirements :strips :typing :negative-preconditions :equality :conditional-effects :action-costs)
 (:types
    scene-object - object
    movable-type openable - scene-object
    surface-type - movable-type
 )
 (:constants
   drawer-object - openable
   plate red_block - surface-type
 )
 (:predicates
             (accessible ?a0 - scene-object)
             (behind ?a0 - scene-object ?a1 - scene-object)
             (clear ?a0 - scene-object)
             (closed ?a0 - scene-object)
             (container ?a0 - scene-object)
             (drawer ?a0 - scene-object)
             (graspable ?a0 - scene-object)
             (gripper_empty)
             (holding ?a0 - scene-object)
             (in ?a0 - scene-object ?a1 - scene-object)
             (in_front_of ?a0 - scene-object ?a1 - scene-object)
             (left_of ?a0 - scene-object ?a1 - scene-object)
             (movable ?a0 - scene-object)
             (next_to ?a0 - scene-object ?a1 - scene-object)
             (on ?a0 - scene-object ?a1 - scene-object)
             (on_table ?a0 - scene-object)
             (open ?a0 - scene-object)
             (right_of ?a0 - scene-object ?a1 - scene-object)
             (stackable ?a0 - scene-object)
             (surface ?a0 - scene-object)
             (touching ?a0 - scene-object)
             (is-container ?a0 - scene-object)
             (task-ready)
             (task-idle)
             (clause-0-reads)
             (running-open_drawer ?a0 - scene-object)
             (asked-touching ?a0 - scene-object)
             (shown-touching ?a0 - scene-object)
             (running-close_drawer ?a0 - scene-object)
             (clause-0-at-0)
             (clause-1-reads)
             (clause-0-at-1)
             (clause-0-accepts)
             (clause-1-at-0)
             (clause-1-at-1)
             (clause-1-accepts)
 )
 (:functions
             (total-cost)
 )
 (:action pick_from_table
  :parameters ( ?o - movable-type)
  :precondition (and (clear ?o) (graspable ?o) (gripper_empty) (on_table ?o) (task-ready) (task-idle))
  :effect (and(forall (?x - scene-object) (not (behind ?o ?x)))(forall (?x - scene-object) (not (behind ?x ?o))) (not (gripper_empty))(forall (?x - scene-object) (not (in_front_of ?o ?x)))(forall (?x - scene-object) (not (in_front_of ?x ?o)))(forall (?x - scene-object) (not (left_of ?o ?x)))(forall (?x - scene-object) (not (left_of ?x ?o)))(forall (?x - scene-object) (not (next_to ?o ?x)))(forall (?x - scene-object) (not (next_to ?x ?o))) (not (on_table ?o))(forall (?x - scene-object) (not (right_of ?o ?x)))(forall (?x - scene-object) (not (right_of ?x ?o))) (holding ?o) (touching ?o) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action pick_from
  :parameters ( ?o - movable-type ?s - surface-type)
  :precondition (and (clear ?o) (graspable ?o) (gripper_empty) (on ?o ?s) (not (= ?o ?s)) (task-ready) (task-idle))
  :effect (and(forall (?x - scene-object) (not (behind ?o ?x)))(forall (?x - scene-object) (not (behind ?x ?o))) (not (gripper_empty)) (not (in ?o ?s))(forall (?x - scene-object) (not (in_front_of ?o ?x)))(forall (?x - scene-object) (not (in_front_of ?x ?o)))(forall (?x - scene-object) (not (left_of ?o ?x)))(forall (?x - scene-object) (not (left_of ?x ?o)))(forall (?x - scene-object) (not (next_to ?o ?x)))(forall (?x - scene-object) (not (next_to ?x ?o))) (not (on ?o ?s))(forall (?x - scene-object) (not (right_of ?o ?x)))(forall (?x - scene-object) (not (right_of ?x ?o))) (clear ?s) (holding ?o) (touching ?o) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action pick_out
  :parameters ( ?o - movable-type ?c - scene-object)
  :precondition (and (is-container ?c) (accessible ?c) (clear ?o) (graspable ?o) (gripper_empty) (in ?o ?c) (not (= ?o ?c)) (task-ready) (task-idle))
  :effect (and(forall (?x - scene-object) (not (behind ?o ?x)))(forall (?x - scene-object) (not (behind ?x ?o))) (not (gripper_empty)) (not (in ?o ?c))(forall (?x - scene-object) (not (in_front_of ?o ?x)))(forall (?x - scene-object) (not (in_front_of ?x ?o)))(forall (?x - scene-object) (not (left_of ?o ?x)))(forall (?x - scene-object) (not (left_of ?x ?o)))(forall (?x - scene-object) (not (next_to ?o ?x)))(forall (?x - scene-object) (not (next_to ?x ?o))) (not (on ?o ?c))(forall (?x - scene-object) (not (right_of ?o ?x)))(forall (?x - scene-object) (not (right_of ?x ?o))) (holding ?o) (touching ?o) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action place_on_table
  :parameters ( ?o - movable-type)
  :precondition (and (holding ?o) (task-ready) (task-idle))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (on_table ?o) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action place_on
  :parameters ( ?o - movable-type ?s - surface-type)
  :precondition (and (clear ?s) (holding ?o) (surface ?s) (not (= ?o ?s)) (task-ready) (task-idle))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (on ?o ?s) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action stack
  :parameters ( ?o - movable-type ?s - surface-type)
  :precondition (and (clear ?s) (holding ?o) (stackable ?s) (not (= ?o ?s)) (task-ready) (task-idle))
  :effect (and (not (clear ?s)) (not (holding ?o)) (not (touching ?o)) (gripper_empty) (on ?o ?s) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action place_in
  :parameters ( ?o - movable-type ?c - scene-object)
  :precondition (and (is-container ?c) (accessible ?c) (holding ?o) (not (= ?o ?c)) (task-ready) (task-idle))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (in ?o ?c) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action open_drawer
  :parameters ( ?d - openable)
  :precondition (and (drawer ?d) (gripper_empty) (not (open ?d)) (task-ready) (task-idle))
  :effect (and (not (task-idle)) (running-open_drawer ?d) (when (and (not (touching ?d)) (asked-touching ?d)) (shown-touching ?d)) (when (and (not (touching ?d)) (asked-touching ?d)) (not (task-ready))) (when (and (not (touching ?d)) (asked-touching ?d)) (clause-0-reads)) (increase (total-cost) 1)))
 (:action open_drawer-end
  :parameters ( ?d - openable)
  :precondition (and (task-ready) (running-open_drawer ?d))
  :effect (and (not (running-open_drawer ?d)) (task-idle) (not (shown-touching ?d)) (not (closed ?d)) (accessible ?d) (open ?d) (not (task-ready)) (clause-0-reads) (increase (total-cost) 0)))
 (:action close_drawer
  :parameters ( ?d - openable)
  :precondition (and (not (closed ?d)) (drawer ?d) (gripper_empty) (task-ready) (task-idle))
  :effect (and (not (task-idle)) (running-close_drawer ?d) (when (and (not (touching ?d)) (asked-touching ?d)) (shown-touching ?d)) (when (and (not (touching ?d)) (asked-touching ?d)) (not (task-ready))) (when (and (not (touching ?d)) (asked-touching ?d)) (clause-0-reads)) (increase (total-cost) 1)))
 (:action close_drawer-end
  :parameters ( ?d - openable)
  :precondition (and (task-ready) (running-close_drawer ?d))
  :effect (and (not (running-close_drawer ?d)) (task-idle) (not (shown-touching ?d)) (not (accessible ?d)) (not (open ?d)) (closed ?d) (not (task-ready)) (clause-0-reads) (increase (total-cost) 0)))
 (:action place_left_of
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)) (task-ready) (task-idle))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (left_of ?o ?b) (on_table ?o) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action place_right_of
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)) (task-ready) (task-idle))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (on_table ?o) (right_of ?o ?b) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action place_in_front_of
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)) (task-ready) (task-idle))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (in_front_of ?o ?b) (on_table ?o) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action place_behind
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)) (task-ready) (task-idle))
  :effect (and (not (holding ?o)) (not (touching ?o)) (behind ?o ?b) (gripper_empty) (on_table ?o) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action place_next_to
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)) (task-ready) (task-idle))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (next_to ?b ?o) (next_to ?o ?b) (on_table ?o) (not (task-ready)) (clause-0-reads) (increase (total-cost) 1)))
 (:action clause-0-from-0-to-0-0
  :parameters ()
  :precondition (and (clause-0-reads) (clause-0-at-0) (not (touching drawer-object)) (not (shown-touching drawer-object)))
  :effect (and (not (clause-0-reads)) (clause-1-reads) (increase (total-cost) 0)))
 (:action clause-0-from-0-to-1-0
  :parameters ()
  :precondition (and (clause-0-reads) (clause-0-at-0) (touching drawer-object))
  :effect (and (not (clause-0-reads)) (clause-1-reads) (not (clause-0-at-0)) (clause-0-at-1) (clause-0-accepts) (increase (total-cost) 0)))
 (:action clause-0-from-0-to-1-1
  :parameters ()
  :precondition (and (clause-0-reads) (clause-0-at-0) (shown-touching drawer-object))
  :effect (and (not (clause-0-reads)) (clause-1-reads) (not (clause-0-at-0)) (clause-0-at-1) (clause-0-accepts) (increase (total-cost) 0)))
 (:action clause-0-from-1-to-1-0
  :parameters ()
  :precondition (and (clause-0-reads) (clause-0-at-1))
  :effect (and (not (clause-0-reads)) (clause-1-reads) (increase (total-cost) 0)))
 (:action clause-1-from-0-to-0-0
  :parameters ()
  :precondition (and (clause-1-reads) (clause-1-at-0) (not (on red_block plate)))
  :effect (and (not (clause-1-reads)) (task-ready) (increase (total-cost) 0)))
 (:action clause-1-from-0-to-1-0
  :parameters ()
  :precondition (and (clause-1-reads) (clause-1-at-0) (on red_block plate))
  :effect (and (not (clause-1-reads)) (task-ready) (not (clause-1-at-0)) (clause-1-at-1) (clause-1-accepts) (increase (total-cost) 0)))
 (:action clause-1-from-1-to-1-0
  :parameters ()
  :precondition (and (clause-1-reads) (clause-1-at-1))
  :effect (and (not (clause-1-reads)) (task-ready) (increase (total-cost) 0)))
)
