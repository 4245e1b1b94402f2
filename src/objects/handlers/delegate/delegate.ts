import { FilterKind, HandlerKind } from '#contracts'
import { defineTypeOfAnyKind, refToAny } from '#schema'

/** Refers to another object, so that this one use of it can have its own decorations. */
export const Delegate = defineTypeOfAnyKind({
  name: 'Delegate',
  summary: 'Refers to another handler or filter, with decorations of its own.',
  config: {
    delegate: refToAny(HandlerKind, FilterKind).meta({
      description: 'The handler or filter to use. The Delegate is of the same kind.',
    }),
  },
  // The heap decorates the returned object under the name of the Delegate; the object itself is not changed.
  create: ({ delegate }) => delegate,
})
