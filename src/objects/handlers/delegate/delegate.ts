import { FilterKind, HandlerKind } from '#contracts'
import { defineTypeOfAnyKind, refToAny } from '#schema'

/** Stands for another object in one place, so that this place can carry decorations of its own. */
export const Delegate = defineTypeOfAnyKind({
  name: 'Delegate',
  summary: 'Stands for another handler or filter, so that one place of use carries its own decorations.',
  config: {
    delegate: refToAny(HandlerKind, FilterKind).meta({
      description: 'The handler or filter that does the work. The Delegate is whatever this is.',
    }),
  },
  // The heap decorates what is returned here under the name of the Delegate; the object itself stays as it is.
  create: ({ delegate }) => delegate,
})
