; while open_drawer runs: touching(?d)
; while close_drawer runs: touching(?d)
(define (domain operators-domain)
 (:requirements :strips :typing :negative-preconditions :equality)
 (:types
    scene-object - object
    movable-type - scene-object
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
             (is-openable ?a0 - scene-object)
             (is-surface ?a0 - scene-object)
 )
 (:action pick_from_table
  :parameters ( ?o - movable-type)
  :precondition (and (clear ?o) (graspable ?o) (gripper_empty) (on_table ?o))
  :effect (and(forall (?x - scene-object) (not (behind ?o ?x)))(forall (?x - scene-object) (not (behind ?x ?o))) (not (gripper_empty))(forall (?x - scene-object) (not (in_front_of ?o ?x)))(forall (?x - scene-object) (not (in_front_of ?x ?o)))(forall (?x - scene-object) (not (left_of ?o ?x)))(forall (?x - scene-object) (not (left_of ?x ?o)))(forall (?x - scene-object) (not (next_to ?o ?x)))(forall (?x - scene-object) (not (next_to ?x ?o))) (not (on_table ?o))(forall (?x - scene-object) (not (right_of ?o ?x)))(forall (?x - scene-object) (not (right_of ?x ?o))) (holding ?o) (touching ?o)))
 (:action pick_from
  :parameters ( ?o - movable-type ?s - scene-object)
  :precondition (and (is-surface ?s) (clear ?o) (graspable ?o) (gripper_empty) (on ?o ?s) (not (= ?o ?s)))
  :effect (and(forall (?x - scene-object) (not (behind ?o ?x)))(forall (?x - scene-object) (not (behind ?x ?o))) (not (gripper_empty)) (not (in ?o ?s))(forall (?x - scene-object) (not (in_front_of ?o ?x)))(forall (?x - scene-object) (not (in_front_of ?x ?o)))(forall (?x - scene-object) (not (left_of ?o ?x)))(forall (?x - scene-object) (not (left_of ?x ?o)))(forall (?x - scene-object) (not (next_to ?o ?x)))(forall (?x - scene-object) (not (next_to ?x ?o))) (not (on ?o ?s))(forall (?x - scene-object) (not (right_of ?o ?x)))(forall (?x - scene-object) (not (right_of ?x ?o))) (clear ?s) (holding ?o) (touching ?o)))
 (:action pick_out
  :parameters ( ?o - movable-type ?c - scene-object)
  :precondition (and (is-container ?c) (accessible ?c) (clear ?o) (graspable ?o) (gripper_empty) (in ?o ?c) (not (= ?o ?c)))
  :effect (and(forall (?x - scene-object) (not (behind ?o ?x)))(forall (?x - scene-object) (not (behind ?x ?o))) (not (gripper_empty)) (not (in ?o ?c))(forall (?x - scene-object) (not (in_front_of ?o ?x)))(forall (?x - scene-object) (not (in_front_of ?x ?o)))(forall (?x - scene-object) (not (left_of ?o ?x)))(forall (?x - scene-object) (not (left_of ?x ?o)))(forall (?x - scene-object) (not (next_to ?o ?x)))(forall (?x - scene-object) (not (next_to ?x ?o))) (not (on ?o ?c))(forall (?x - scene-object) (not (right_of ?o ?x)))(forall (?x - scene-object) (not (right_of ?x ?o))) (holding ?o) (touching ?o)))
 (:action place_on_table
  :parameters ( ?o - movable-type)
  :precondition (and (holding ?o))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (on_table ?o)))
 (:action place_on
  :parameters ( ?o - movable-type ?s - scene-object)
  :precondition (and (is-surface ?s) (clear ?s) (holding ?o) (surface ?s) (not (= ?o ?s)))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (on ?o ?s)))
 (:action stack
  :parameters ( ?o - movable-type ?s - scene-object)
  :precondition (and (is-surface ?s) (clear ?s) (holding ?o) (stackable ?s) (not (= ?o ?s)))
  :effect (and (not (clear ?s)) (not (holding ?o)) (not (touching ?o)) (gripper_empty) (on ?o ?s)))
 (:action place_in
  :parameters ( ?o - movable-type ?c - scene-object)
  :precondition (and (is-container ?c) (accessible ?c) (holding ?o) (not (= ?o ?c)))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (in ?o ?c)))
 (:action open_drawer
  :parameters ( ?d - scene-object)
  :precondition (and (is-openable ?d) (drawer ?d) (gripper_empty) (not (open ?d)))
  :effect (and (not (closed ?d)) (accessible ?d) (open ?d)))
 (:action close_drawer
  :parameters ( ?d - scene-object)
  :precondition (and (is-openable ?d) (not (closed ?d)) (drawer ?d) (gripper_empty))
  :effect (and (not (accessible ?d)) (not (open ?d)) (closed ?d)))
 (:action place_left_of
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (left_of ?o ?b) (on_table ?o)))
 (:action place_right_of
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (on_table ?o) (right_of ?o ?b)))
 (:action place_in_front_of
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (in_front_of ?o ?b) (on_table ?o)))
 (:action place_behind
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)))
  :effect (and (not (holding ?o)) (not (touching ?o)) (behind ?o ?b) (gripper_empty) (on_table ?o)))
 (:action place_next_to
  :parameters ( ?o - movable-type ?b - scene-object)
  :precondition (and (holding ?o) (not (= ?o ?b)))
  :effect (and (not (holding ?o)) (not (touching ?o)) (gripper_empty) (next_to ?b ?o) (next_to ?o ?b) (on_table ?o)))
)
