import { type Decorator, kind } from '#schema'

/** Objects that wrap other objects when those are built. */
export const DecoratorKind = kind<Decorator>('Decorator')
