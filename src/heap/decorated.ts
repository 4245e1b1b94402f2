import { ConfigError, type Decorator, type Environment, type Typed } from '#schema'
import { attributed } from './attributed.ts'
import type { Decoration } from './declaration.ts'
import { inDecoded, toConfigError } from './located-problems.ts'

/** The names of a decorated object, and the environment of its wrappers. */
export interface DecoratedPlace {
  readonly name: string
  readonly qualified: string
  readonly environment: (pointer: string) => Environment
}

/** Whether an object names its decorators, or has those of all objects. */
export type DecorationOrigin = 'named' | 'global'

/** Decorators of a heap, and their settings. */
interface DecoratorSource {
  readonly origin: DecorationOrigin
  decorator(name: string, pointer: string): Promise<Decorator>
  settled(settings: unknown, pointer: string): Promise<unknown>
}

/** Wraps an object, later decorations around earlier ones. A global one skips objects it can not wrap. */
export async function decorated(
  object: Typed,
  decorations: readonly Decoration[],
  { name, qualified, environment }: DecoratedPlace,
  { origin, decorator: find, settled: settle }: DecoratorSource,
): Promise<Typed> {
  let { value } = object
  let isWrapped = false
  for (const { decorator, settings, pointer } of decorations) {
    const { wraps } = await find(decorator, pointer)
    const wrap = Object.hasOwn(wraps, object.kind.name) ? wraps[object.kind.name] : undefined
    if (wrap === undefined) {
      if (origin === 'global') continue
      const message = `the decorator "${decorator}" can not decorate a ${object.kind.name}`
      throw new ConfigError([{ pointer, message }])
    }
    const settled = await settle(settings, pointer)
    try {
      const wrapped = wrap(value as never, settled as never, environment(pointer))
      isWrapped ||= wrapped !== value
      value = wrapped
    } catch (error) {
      const what = `the decorator "${decorator}" can not decorate ${name}`
      throw toConfigError(error, pointer, inDecoded(settings, pointer), what)
    }
  }
  return isWrapped ? attributed(object.kind, value, qualified) : { kind: object.kind, value }
}
