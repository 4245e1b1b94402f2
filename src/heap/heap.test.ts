import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BuildPath, type DocumentType, documentType, type Heap } from '#heap'
import type { JsonObject, JsonValue } from '#json'
import {
  adapter,
  boolean,
  ConfigError,
  config,
  defineType,
  defineTypeOfAnyKind,
  formatProblem,
  integer,
  kind,
  list,
  ref,
  refToAny,
  string,
  type TypeDefinition,
} from '#schema'
import { type DocumentOptions, openDocument } from '#test/document'
import { within } from '#test/waiting'

interface Part {
  readonly label: string
  readonly parts: readonly Part[]
}
interface Plug {
  readonly plugged: string
}

const PartKind = kind<Part>('Part')
const LampKind = kind<string>('Lamp')
const PlugKind = kind<Plug>('Plug', [adapter(PartKind, ({ label }) => ({ plugged: label }))])

const Machine = documentType({
  main: ref(PartKind).optional(),
  plug: ref(PlugKind).optional(),
  size: config(integer()).optional(),
})

/** Object types whose objects record their build and disposal in a journal. */
function types(journal: string[] = []): TypeDefinition[] {
  const part = defineType({
    name: 'Part',
    aliases: ['OldPart'],
    kind: PartKind,
    summary: 'A part with parts.',
    config: {
      label: config(string()).default('plain'),
      parts: list(ref(PartKind)).default([]),
      weight: config(integer()).default(1),
      fails: boolean().default(false),
    },
    check({ weight }, report) {
      if (weight > 100) report('/weight', 'too heavy')
    },
    async create({ label, parts, fails }, env): Promise<Part> {
      env.onDispose(() => {
        journal.push(`release ${env.localName}`)
        if (label === 'stuck') throw new Error('stuck')
      })
      await null
      if (fails) throw new Error('broken')
      journal.push(`build ${env.localName}`)
      if (label === 'warns') env.warn('worn out')
      if (label === 'complains') throw new ConfigError([{ pointer: '/label', message: 'not this label' }])
      return { label, parts }
    },
  })
  const lamp = defineType({
    name: 'Lamp',
    kind: LampKind,
    summary: 'A lamp.',
    config: {},
    replacement: 'use Part instead',
    create: () => 'lamp',
  })
  const stand = defineTypeOfAnyKind({
    name: 'Stand',
    summary: 'Alias of another object.',
    config: { target: refToAny(PartKind, LampKind) },
    create: ({ target }) => target,
  })
  return [part, lamp, stand]
}

const part = (name: string, ...parts: JsonValue[]): JsonObject => ({
  name,
  type: 'Part',
  config: { label: name, parts },
})

function machine(json: JsonObject, options: Partial<DocumentOptions> = {}, journal: string[] = []) {
  return openDocument(Machine as DocumentType<typeof Machine.members>, json, { types: types(journal), ...options })
}

async function refused(json: JsonObject, expected: readonly string[], options: Partial<DocumentOptions> = {}) {
  await assert.rejects(machine(json, options).build(), (error: unknown) => {
    assert.ok(error instanceof ConfigError, String(error))
    assert.deepEqual(error.problems.map(formatProblem), expected)
    return true
  })
}

test('objects are resolved by name in any order, and one name is one object', async () => {
  const journal: string[] = []
  const document = machine({ heap: [part('a', 'c', 'b'), part('b', 'c'), part('c')], main: 'a' }, {}, journal)
  const { main } = await document.build()
  assert.deepEqual(journal, ['build c', 'build b', 'build a'])
  assert.equal(main?.parts[0], main?.parts[1]?.parts[0])
})

test('inline objects can be nested to any depth; those without a name are named by their pointer', async () => {
  const journal: string[] = []
  const document = machine(
    { main: { type: 'Part', config: { parts: [part('inner', { type: 'OldPart' })] } } },
    {},
    journal,
  )
  const { main } = await document.build()
  assert.equal(main?.parts[0]?.parts[0]?.label, 'plain')
  assert.deepEqual(journal, ['build {Part}/main/config/parts/0/config/parts/0', 'build inner', 'build {Part}/main'])
})

test('an inline object can not be referenced by name', async () => {
  await refused({ heap: [part('a', part('b')), part('c', 'b')] }, [
    '/heap/1/config/parts/0: no Part named "b" in this heap or its parents; did you mean "a"?',
  ])
})

test('config may be missing or null; of a class name with a package the last part is used', async () => {
  const { main } = await machine({ main: { type: 'org.example.Part', config: null } }).build()
  assert.equal(main?.label, 'plain')
})

test('every declared object is built, used or not, and its failure fails the document', async () => {
  const journal: string[] = []
  await machine({ heap: [part('unused')] }, {}, journal).build()
  assert.deepEqual(journal, ['build unused'])
  await refused({ heap: [{ name: 'unused', type: 'Part', config: { fails: true } }] }, [
    '/heap/0: Part can not be built: broken',
  ])
})

test('objects are disposed in reverse order', async () => {
  const journal: string[] = []
  const document = machine({ heap: [part('a', 'b'), part('b'), part('c')] }, {}, journal)
  await document.build()
  await document.heap.dispose()
  assert.deepEqual(journal, ['build b', 'build a', 'build c', 'release c', 'release a', 'release b'])
})

test('a failed build disposes the built objects in reverse order', async () => {
  const journal: string[] = []
  const broken = { name: 'broken', type: 'Part', config: { fails: true, parts: ['b'] } }
  const document = machine({ heap: [part('a'), part('b'), broken], main: part('main', 'broken') }, {}, journal)
  await assert.rejects(document.build(), ConfigError)
  assert.deepEqual(journal, ['build a', 'build b', 'release broken', 'release b', 'release a'])
})

test('a failed build is reported with its own problem where the disposal fails as well', async () => {
  const journal: string[] = []
  const stuck = { name: 'stuck', type: 'Part', config: { label: 'stuck' } }
  const broken = { name: 'broken', type: 'Part', config: { fails: true } }
  const document = machine({ heap: [part('a'), stuck, part('b'), broken] }, {}, journal)
  await assert.rejects(document.build(), { message: '/heap/3: Part can not be built: broken' })
  assert.deepEqual(journal.slice(3), ['release broken', 'release b', 'release stuck', 'release a'])
})

test('what fails after the build disposes the heap', async () => {
  const journal: string[] = []
  const document = machine({ heap: [part('a')] }, {}, journal)
  await assert.rejects(
    document.buildFor(() => Promise.reject(new Error('no handler'))),
    /no handler/,
  )
  assert.deepEqual(journal, ['build a', 'release a'])
})

test('an object that is created after the disposal is released', async () => {
  const journal: string[] = []
  const begun = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const late = defineType({
    name: 'Late',
    kind: LampKind,
    summary: 'Waits for something.',
    config: {},
    async create(_, env) {
      begun.resolve()
      await opened.promise
      env.onDispose(() => void journal.push(`release ${resource}`))
      const resource = env.localName
      return resource
    },
  })
  const json = { heap: [part('a'), { name: 'late', type: 'Late' }] }
  const document = machine(json, { types: [...types(journal), late] })
  const building = document.build()
  await within('the build of the object begins', begun.promise)
  await document.heap.dispose()
  opened.resolve()
  await building
  assert.deepEqual(journal, ['build a', 'release a', 'release late'])
})

test('a failure of the fields disposes the heap', async () => {
  const journal: string[] = []
  const document = machine({ heap: [part('a')], size: '${true}' }, {}, journal)
  await assert.rejects(document.build(), { message: '/size: ${true} gave a bad value: expected an integer, got true' })
  assert.deepEqual(journal, ['build a', 'release a'])
})

test('no object is built if one can not be decoded, and every problem is reported', async () => {
  const journal: string[] = []
  const json = {
    heap: [
      part('a'),
      { name: 'b', type: 'Part', config: { lable: 'x', parts: [{ type: 'Part', config: { fails: 3 } }] } },
    ],
    main: { type: 'Prat' },
    sise: 4,
  }
  const document = machine(json, {}, journal)
  assert.deepEqual(document.problems.map(formatProblem), [
    '/heap/1/config/lable: unknown field; did you mean "label"?',
    '/heap/1/config/parts/0/config/fails: expected true or false, got 3',
    '/sise: unknown field, and no decorator of that name; did you mean "size"?',
    '/main/type: unknown type "Prat"; did you mean "Part"?',
  ])
  await assert.rejects(document.build(), ConfigError)
  assert.deepEqual(journal, [])
})

test('problems in inline objects have the pointer in the whole document', async () => {
  await refused({ heap: [part('a', part('b', { type: 'Part', config: { fails: 3 } }))] }, [
    '/heap/0/config/parts/0/config/parts/0/config/fails: expected true or false, got 3',
  ])
})

test('problems found while several objects are built are reported together', async () => {
  const bad = (name: string) => ({ name, type: 'Part', config: { weight: "${'x'}" } })
  const given = '${\'x\'} gave a bad value: expected an integer, got "x"'
  await refused({ heap: [bad('a'), part('b', 'a', 'missing'), bad('c')] }, [
    `/heap/0/config/weight: ${given}`,
    '/heap/1/config/parts/1: no Part named "missing" in this heap or its parents',
    `/heap/2/config/weight: ${given}`,
  ])
})

test('problems of the heap and of the fields are reported together, each once', async () => {
  const heap = [{ name: 'a', type: 'Part', config: { fails: true } }]
  await refused({ heap, main: part('main', 'a', 'missing'), size: '${true}' }, [
    '/heap/0: Part can not be built: broken',
    '/main/config/parts/1: no Part named "missing" in this heap or its parents',
    '/size: ${true} gave a bad value: expected an integer, got true',
  ])
})

test('the shape of declarations is checked', async () => {
  await refused({ heap: { a: 1 } }, ['/heap: expected an array of objects'])
  await refused({ heap: [1, { type: 'Part' }, { name: '', type: 'Part' }, { name: 'a' }] }, [
    '/heap/0: expected an object { "name", "type", "config" }',
    '/heap/1: expected a "name": objects in a heap are referenced by name',
    '/heap/2/name: expected a string that is not empty',
    '/heap/3: expected a "type", the name of an object type',
  ])
  await refused({ heap: [{ name: 'a', type: 'Part', config: 5 }] }, ['/heap/0/config: expected an object, got 5'])
})

test('two objects of one heap can not share a name', async () => {
  await refused({ heap: [part('a'), part('b'), part('a')] }, ['/heap/2/name: the name "a" is already taken by /heap/0'])
})

test('inconsistent values are rejected by the rules of the type', async () => {
  await refused({ heap: [{ name: 'a', type: 'Part', config: { weight: 101 } }] }, ['/heap/0/config/weight: too heavy'])
})

test('problems reported by create have a pointer below config', async () => {
  await refused({ heap: [part('complains')] }, ['/heap/0/config/label: not this label'])
})

test('a cycle of references is reported with its pointer and all of its objects', async () => {
  await refused({ heap: [part('a', 'b'), part('b', part('inner', 'c')), part('c', 'b')] }, [
    '/heap/2/config/parts/0: these objects need each other, so none can be built: b -> inner -> c -> b',
  ])
  await refused({ heap: [part('self', 'self')] }, [
    '/heap/0/config/parts/0: these objects need each other, so none can be built: self -> self',
  ])
})

test('an object of a wrong kind is rejected: inline when decoded, by name when built', async () => {
  await refused({ main: { type: 'Lamp' } }, ['/main: expected a Part, got a Lamp (type Lamp)'])
  await refused({ heap: [{ name: 'lamp', type: 'Lamp' }], main: 'lamp' }, ['/main: expected a Part, got a Lamp'])
})

test('an object of another kind is accepted if the kind has an adapter', async () => {
  const named = await machine({ heap: [part('a')], plug: 'a' }).build()
  assert.deepEqual(named.plug, { plugged: 'a' })
  const inPlace = await machine({ plug: part('b') }).build()
  assert.deepEqual(inPlace.plug, { plugged: 'b' })
  await refused({ plug: { type: 'Lamp' } }, ['/plug: expected a Plug, got a Lamp (type Lamp)'])
})

test('an object of a type of any kind has the kind of its target', async () => {
  const stand = (target: JsonValue): JsonObject => ({ type: 'Stand', config: { target } })
  const { main } = await machine({ heap: [part('a')], main: stand(stand('a')) }).build()
  assert.equal(main?.label, 'a')
  await refused({ main: stand({ type: 'Lamp' }) }, ['/main: expected a Part, got a Lamp'])
})

test('names are looked up in the parents; a local name hides theirs', async () => {
  const root = machine({ heap: [part('a'), part('b', 'a')] })
  await root.build()
  const middle = machine({ heap: [part('a', 'b')] }, { parent: root.heap })
  const { main: own } = await machine({ main: 'a' }, { parent: middle.heap }).build()
  assert.equal(own?.parts[0]?.label, 'b')
  assert.equal(own?.parts[0]?.parts[0]?.parts.length, 0)
  await refused({ main: 'bb' }, ['/main: no Part named "bb" in this heap or its parents; did you mean "b"?'], {
    parent: root.heap,
  })
})

test('objects of a parent are built once, and not disposed with the child', async () => {
  const journal: string[] = []
  const root = machine({ heap: [part('shared')] }, {}, journal)
  await root.build()
  for (const name of ['x', 'y']) {
    const child = machine({ heap: [part(name, 'shared')] }, { parent: root.heap }, journal)
    await child.build()
    await child.heap.dispose()
  }
  assert.deepEqual(journal, ['build shared', 'build x', 'release x', 'build y', 'release y'])
})

test('default objects are built only if referenced, and replaced by declared ones', async () => {
  const defaults = [part('store'), part('client', 'store')]
  const journal: string[] = []
  await machine({}, { defaults }, journal).build()
  assert.deepEqual(journal, [])
  await machine({ main: 'client' }, { defaults }, journal).build()
  assert.deepEqual(journal, ['build store', 'build client'])
  const { main } = await machine({ heap: [part('store', part('own'))], main: 'client' }, { defaults }).build()
  assert.equal(main?.parts[0]?.parts[0]?.label, 'own')
})

test('an object and one of a parent heap that wait for each other are a cycle', async () => {
  const journal: string[] = []
  const outer: { heap: Heap; chain: BuildPath }[] = []
  const opens = defineType({
    name: 'Opens',
    kind: PartKind,
    summary: 'Opens a child document while it is built, as a router does.',
    config: {},
    async create(_, env): Promise<Part> {
      await env.router.openRouter(
        { name: '', directory: '', scanInterval: 0, order: 'name', defaultHandler: null },
        env,
      )
      const { heap, chain } = outer.at(-1) as (typeof outer)[number]
      const child = machine({ main: part('child', 'router') }, { parent: heap, buildPath: chain }, journal)
      await assert.rejects(child.build(), {
        message: '/main/config/parts/0: these objects need each other, so none can be built: router -> router',
      })
      return { label: 'router', parts: [] }
    },
  })
  const document = openDocument(
    Machine,
    { heap: [{ name: 'router', type: 'Opens' }] },
    {
      types: [...types(), opens],
      onRouter: (heap, chain) => outer.push({ heap, chain }),
      router: { openRouter: async () => async () => assert.fail('not a real router') },
    },
  )
  await document.build()
  assert.equal(outer.length, 1)
})

test('objects and deprecated types add warnings', async () => {
  const document = machine({ heap: [part('warns'), { name: 'old', type: 'Lamp' }], noise: 'x', comment: '&{no.token}' })
  assert.deepEqual(document.problems.map(formatProblem), ['/noise: unknown field, and no decorator of that name'])
  const kept = machine({ heap: [part('warns'), { name: 'old', type: 'Lamp' }] })
  await kept.build()
  assert.deepEqual(kept.warnings.map(formatProblem), [
    '/heap/1/type: Lamp is deprecated; use Part instead',
    '/heap/0: worn out',
  ])
})

test('obsolete keys are accepted with a warning', async () => {
  const type = documentType({}, { legacy: ['audit'] })
  const document = openDocument(type, { audit: 'global' }, { types: types() })
  await document.build()
  assert.deepEqual(document.warnings.map(formatProblem), [
    '/audit: audit is no longer used and has no effect; remove it',
  ])
})
