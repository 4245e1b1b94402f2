import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '#http'
import {
  byShape,
  condition,
  config,
  type Decorator,
  defineDecorator,
  defineType,
  defineTypeOfAnyKind,
  duration,
  exactlyOneOf,
  integer,
  kind,
  list,
  map,
  object,
  oneOf,
  type Pattern,
  ref,
  refToAny,
  regex,
  renames,
  runtime,
  type Settings,
  string,
  type Typed,
  wrap,
} from './index.ts'

interface Lamp {
  on(): void
}
const LampKind = kind<Lamp>('Lamp')

/** True where two types are identical, not only assignable. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Does not compile with any type but `true`. */
const holds = <_T extends true>(): void => {}

test('create gets settled values', () => {
  const definition = defineType({
    name: 'Typed',
    kind: LampKind,
    summary: 'Asserts types.',
    config: {
      interval: config(duration()).default('5 seconds'),
      note: config(string()).optional(),
      mode: oneOf(['A', 'B']),
      rates: map(list(config(integer()))),
      lamp: ref(LampKind),
      spare: ref(LampKind).optional(),
      either: refToAny(LampKind),
      pattern: regex().optional(),
      text: runtime('string'),
      when: condition(),
      nested: config(object({ size: config(integer()) })),
      shaped: byShape({ string: config(duration()), array: list(string()) }),
    },
    create(settings) {
      holds<Same<typeof settings.interval, number>>()
      holds<Same<typeof settings.note, string | undefined>>()
      holds<Same<typeof settings.mode, 'A' | 'B'>>()
      holds<Same<(typeof settings.rates)[string], number[]>>()
      holds<Same<typeof settings.lamp, Lamp>>()
      holds<Same<typeof settings.spare, Lamp | undefined>>()
      holds<Same<typeof settings.either, Typed>>()
      holds<Same<typeof settings.nested.size, number>>()
      holds<Same<typeof settings.shaped, number | string[]>>()
      settings.pattern satisfies Pattern | undefined
      settings.text satisfies (exchange: Exchange) => string | null | Promise<string | null>
      settings.when satisfies (exchange: Exchange) => boolean | null | Promise<boolean | null>
      return settings.lamp
    },
  })
  assert.equal(definition.name, 'Typed')
})

test('a definition has values for omitted members', () => {
  const definition = defineType({
    name: 'Bulb',
    kind: LampKind,
    summary: 'A lamp.',
    config: {},
    create: (): Lamp => ({ on: () => {} }),
  })
  assert.deepEqual(definition.aliases, [])
  assert.deepEqual(definition.rules, [])
  assert.equal(definition.replacement, null)
  assert.equal(definition.settings, null)
  assert.equal(definition.kind, LampKind)
  const nothing = () => assert.fail('nothing to check')
  definition.check({} as never, nothing, nothing)
})

test('rules and old names of a type apply to its config', () => {
  const definition = defineType({
    name: 'Bulb',
    kind: LampKind,
    summary: 'A lamp.',
    config: { watt: integer().optional(), lumen: integer().optional() },
    rules: [exactlyOneOf('watt', 'lumen')],
    older: renames({ power: 'watt' }),
    create: (): Lamp => ({ on: () => {} }),
  })
  assert.equal(definition.config.accepts({ power: 5 }), true)
  assert.equal(definition.config.accepts({}), false)
})

test('a type of any kind has a kind for each object', () => {
  const definition = defineTypeOfAnyKind({
    name: 'Stand',
    summary: 'Stands for another.',
    config: { target: refToAny(LampKind) },
    create: ({ target }) => target,
  })
  assert.equal(definition.kind, null)
})

test('a decorator has settings, and a wrapper with the type of its kind', () => {
  const settings = object({ colour: config(string()) })
  const definition = defineDecorator({
    name: 'Shade',
    kind: kind<Decorator>('Decorator'),
    summary: 'Shades a lamp.',
    config: {},
    settings,
    create: () => ({
      wraps: {
        Lamp: wrap(LampKind, (inner, { colour }: Settings<typeof settings>) => {
          holds<Same<typeof colour, string>>()
          return inner
        }),
      },
    }),
  })
  assert.equal(definition.settings, settings)
})
