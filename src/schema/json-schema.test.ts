import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonValue } from '#json'
import {
  adapter,
  atLeastOneOf,
  atMostOneOf,
  boolean,
  byShape,
  condition,
  config,
  type Decorator,
  defineDecorator,
  defineType,
  defineTypeOfAnyKind,
  documentSchema,
  duration,
  exactlyOneOf,
  integer,
  type JsonSchema,
  json,
  kind,
  list,
  map,
  needs,
  number,
  object,
  oneOf,
  type PresenceRule,
  ref,
  refToAny,
  renames,
  runtime,
  secretId,
  string,
  typeSchema,
} from './index.ts'
import { renderField } from './render-field.ts'

const ToolKind = kind<object>('Tool')
const LampKind = kind<object>('Lamp', [adapter(ToolKind, (tool) => tool)])
const BoxKind = kind<object>('Box')

const Saw = defineType({
  name: 'Saw',
  aliases: ['OldSaw'],
  kind: ToolKind,
  summary: 'Saws.',
  config: {
    teeth: config(integer({ min: 1 })).meta({ description: 'How many.' }),
    wait: config(duration()).default('5 seconds').meta({ description: 'How long.' }),
    spare: ref(ToolKind).optional().meta({ description: 'Another.', replacement: 'use tools instead' }),
    oil: string().optional().meta({ description: 'Which.', unsupported: 'it runs dry', secret: true }),
  },
  older: renames({ pause: 'wait' }),
  create: () => ({}),
})
const Lamp = defineType({
  name: 'Lamp',
  kind: LampKind,
  summary: 'Shines.',
  config: { when: condition().default('${true}') },
  replacement: 'use the sun',
  create: () => ({}),
})
const Stand = defineTypeOfAnyKind({
  name: 'Stand',
  summary: 'Stands for another.',
  config: { target: refToAny(ToolKind, LampKind) },
  create: ({ target }) => target,
})
const Paint = defineDecorator({
  name: 'Paint',
  kind: kind<Decorator>('Decorator'),
  summary: 'Paints.',
  config: {},
  settings: oneOf(['red', 'green']),
  create: () => ({ wraps: {} }),
})
const ALL = [Saw, Lamp, Stand, Paint]

const members = {
  tool: ref(ToolKind).meta({ description: 'The tool.' }),
  lamp: ref(LampKind).optional(),
  box: ref(BoxKind).optional(),
}
const SHOP = documentSchema(
  {
    name: 'shop',
    title: 'Shop',
    description: 'A shop.',
    document: { members, fields: object(members), legacy: ['monitor'] },
    defaults: [{ name: 'paint', type: 'Paint' }, { name: 'saw', type: 'Saw' }, 'junk'],
    inherits: true,
  },
  ALL,
)

function validator(schema: JsonSchema): (value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath))
}

const field = (schema: JsonSchema) => validator({ ...schema, $defs: { Expression: EXPRESSION, Token: TOKEN } })
const { Expression: EXPRESSION, Token: TOKEN } = SHOP['$defs'] as Record<string, JsonSchema>
const shop = validator(SHOP)
const saw = { type: 'Saw', config: { teeth: 3 } }

test('the schema of a type is a valid JSON Schema', () => {
  const ajv = new Ajv2020()
  for (const schema of [SHOP, ...ALL.map((each) => typeSchema(each, ALL))]) assert.ok(ajv.validateSchema(schema))
})

test('the schema of a field has its description, its default as written, and its warnings', () => {
  const { properties } = (typeSchema(Saw, ALL)['properties'] as Record<string, { properties: JsonSchema }>)['config']!
  assert.deepEqual(properties['wait'], {
    description: 'How long.',
    type: 'string',
    examples: ['10 seconds', '1 minute', '2 hours and 30 minutes'],
    default: '5 seconds',
  })
  assert.deepEqual(properties['spare'], {
    description: 'Another. Deprecated: use tools instead.',
    $ref: '#/$defs/Tool',
    deprecated: true,
  })
  assert.deepEqual(properties['oil'], {
    description: 'Which. No effect: it runs dry.',
    type: 'string',
    'x-unsupported': 'it runs dry',
    'x-secret': true,
  })
  assert.equal((properties['pause'] as JsonSchema)['description'], 'Old name of wait.')
  assert.equal((properties['pause'] as JsonSchema)['deprecated'], true)
})

test('the schema of a type accepts its objects and no others', () => {
  const check = validator(typeSchema(Saw, ALL))
  assert.deepEqual(check({ name: 'a', ...saw }), [])
  assert.deepEqual(check({ type: 'OldSaw', config: { teeth: '${env.TEETH}', spare: saw } }), [])
  assert.deepEqual(check({ type: 'Saw' }), [''])
  assert.deepEqual(check({ type: 'Lamp', config: { teeth: 3 } }), ['/type'])
  assert.deepEqual(check({ type: 'Saw', config: { teeth: 0 } }).at(-1), '/config/teeth')
  assert.deepEqual(check({ type: 'Saw', config: { teeth: 3, spare: { type: 'Lamp' } } }), ['/config/spare/type'])
  assert.deepEqual(check({ type: 'Saw', config: { teeth: 3, tooth: 1 } }), ['/config'])
})

test('the schema of a type has the definitions it uses, that of a decorator its settings', () => {
  const names = (schema: JsonSchema) => Object.keys((schema['$defs'] as object | undefined) ?? {})
  assert.deepEqual(names(typeSchema(Saw, ALL)), ['Expression', 'Tool'])
  assert.deepEqual(names(typeSchema(Paint, ALL)), ['Token', 'Settings'])
  assert.equal(typeSchema(Lamp, ALL)['deprecated'], true)
  assert.equal(typeSchema(Lamp, ALL)['description'], 'Shines. Deprecated: use the sun.')
})

test('a document may refer by name, or declare in place to any depth', () => {
  assert.deepEqual(shop({ tool: 'saw' }), [])
  assert.deepEqual(shop({ tool: { ...saw, config: { teeth: 1, spare: { ...saw, name: 'inner' } } } }), [])
  assert.deepEqual(
    shop({ tool: { type: 'Saw', config: { teeth: 1, spare: { type: 'Saw', config: { teeth: -1 } } } } }).at(-1),
    '/tool',
  )
  assert.deepEqual(shop({ tool: '' }), ['/tool'])
  assert.deepEqual(shop({}), [''])
})

test('a reference accepts types of its kind, adapted kinds and any kind', () => {
  assert.deepEqual([...new Set(shop({ tool: { type: 'Lamp' } }))], ['/tool/type'])
  assert.deepEqual(shop({ tool: saw, lamp: saw }), [])
  assert.deepEqual(
    shop({ tool: { type: 'Stand', config: { target: 'x' } }, lamp: { type: 'Stand', config: { target: saw } } }),
    [],
  )
  assert.deepEqual(shop({ tool: saw, box: 'b' }), [])
  const box = shop({ tool: saw, box: { type: 'Saw', config: { teeth: 1 } } })
  assert.deepEqual([...new Set(box)], ['/box/type'])
})

test('objects of the heap need a name, and their config is that of their type', () => {
  assert.deepEqual(
    shop({
      tool: 'a',
      heap: [
        { name: 'a', ...saw },
        { name: 'l', type: 'Lamp' },
      ],
    }),
    [],
  )
  assert.deepEqual(shop({ tool: 'a', heap: [saw] }), ['/heap/0'])
  assert.ok(shop({ tool: 'a', heap: [{ name: 'a', type: 'Lamp', config: { teeth: 1 } }] }).includes('/heap/0/config'))
})

test('decorations have the name of a predefined decorator, or the settings of any decorator', () => {
  assert.deepEqual(shop({ tool: { ...saw, paint: 'red' }, paint: 'green', globalDecorators: { paint: 'red' } }), [])
  assert.deepEqual(shop({ tool: { ...saw, gloss: 'red' } }), [])
  assert.ok(shop({ tool: { ...saw, paint: 'blue' } }).includes('/tool/paint'))
  assert.ok(shop({ tool: saw, tol: {} }).includes('/tol'))
  assert.ok(shop({ tool: saw, globalDecorators: { gloss: 5 } }).includes('/globalDecorators/gloss'))
})

test('a document may have comments, deprecated keys and properties', () => {
  const json: JsonValue = { tool: saw, comment: 1, _tool: 2, '//': 3, monitor: true, properties: { a: { b: 1 } } }
  assert.deepEqual(shop(json), [])
  assert.deepEqual(shop({ tool: { ...saw, comment: 'x', config: { teeth: 1, _spare: 5 } } }), [])
})

test('a token or a transformation is accepted in place of a number, an enumerated value or a list', () => {
  for (const each of [integer(), number(), boolean(), oneOf(['a']), secretId(), list(integer())]) {
    const check = field(renderField(each))
    assert.deepEqual(check('&{name|1}'), [])
    assert.deepEqual(check({ $int: '&{name}' }), [])
    assert.notDeepEqual(check({ $other: 1 }), [])
    assert.notDeepEqual(check('${name}'), [])
  }
})

test('an expression is accepted where one is evaluated', () => {
  for (const each of [config(integer()), config(list(string())), runtime('boolean'), runtime('map'), condition()]) {
    assert.deepEqual(field(renderField(each))('${name}'), [])
    assert.notDeepEqual(field(renderField(each))('name'), [])
  }
  assert.deepEqual(renderField(config(string())), { type: 'string' })
  assert.deepEqual(renderField(runtime('string')), { type: 'string' })
  assert.deepEqual(renderField(json()), {})
})

test('shapes, lists and maps', () => {
  const shaped = field(
    renderField(byShape({ array: list(integer(), { nonEmpty: true }), object: object({ a: boolean() }) })),
  )
  assert.deepEqual(shaped([1]), [])
  assert.deepEqual(shaped({ a: true }), [])
  assert.notDeepEqual(shaped([]), [])
  assert.notDeepEqual(shaped({ a: 1 }), [])
  const named = field(renderField(map(integer({ max: 3 }), { except: ['no'] })))
  assert.deepEqual(named({ a: 3 }), [])
  assert.notDeepEqual(named({ a: 4 }), [])
  assert.notDeepEqual(named({ no: 3 }), [])
})

test('presence rules apply, also to old names', () => {
  const three = { a: string().optional(), b: string().optional(), c: string().optional() }
  const of = (...rules: PresenceRule[]) => field(renderField(object(three, { rules, older: renames({ old: 'a' }) })))
  const exactly = of(exactlyOneOf('a', 'b'))
  assert.deepEqual([exactly({ a: '' }), exactly({ old: '' }), exactly({ b: '' })], [[], [], []])
  assert.notDeepEqual(exactly({}), [])
  assert.notDeepEqual(exactly({ old: '', b: '' }), [])
  assert.notDeepEqual(of(atLeastOneOf('a', 'b'))({ c: '' }), [])
  assert.deepEqual(of(atLeastOneOf('a', 'b'))({ a: '', b: '' }), [])
  assert.notDeepEqual(of(atMostOneOf('a', 'b', 'c'))({ old: '', c: '' }), [])
  assert.deepEqual(of(atMostOneOf('a', 'b', 'c'))({ c: '' }), [])
  assert.notDeepEqual(of(needs('a', 'b'))({ old: '' }), [])
  assert.deepEqual(of(needs('a', 'b'))({ old: '', b: '' }), [])
  assert.deepEqual(of(needs('a', 'b'))({ c: '' }), [])
  const required = field(renderField(object({ a: string() }, { older: renames({ old: 'a' }) })))
  assert.deepEqual(required({ old: '' }), [])
  assert.notDeepEqual(required({}), [])
})
