import { type Decorator, kind } from '#schema'

/** Wraps other objects when they are built. */
export const DecoratorKind = kind<Decorator>('Decorator')
