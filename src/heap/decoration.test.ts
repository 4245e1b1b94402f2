import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecoratorKind, faultOrigin, HandlerKind } from '#contracts'
import { documentType, type Heap } from '#heap'
import type { Handler } from '#http'
import type { JsonObject } from '#json'
import {
  ConfigError,
  config,
  defineDecorator,
  defineType,
  formatProblem,
  kind,
  ref,
  string,
  type TypeDefinition,
  wrap,
} from '#schema'
import { type DocumentOptions, openDocument } from '#test/document'
import { exchangeFor } from '#test/exchange'
import { EchoHandler, MarkDecorator } from '#test/trail'

const StoneKind = kind<object>('Stone')

const Stone = defineType({
  name: 'Stone',
  kind: StoneKind,
  summary: 'Nothing decorates it.',
  config: {},
  create: () => ({}),
})

/** A handler that wraps a handler. */
const Around = defineType({
  name: 'Around',
  kind: HandlerKind,
  summary: 'Calls another handler.',
  config: { inner: ref(HandlerKind) },
  create: ({ inner }) => inner,
})

const Picky = defineDecorator({
  name: 'Picky',
  kind: DecoratorKind,
  summary: 'Throws when its config asks for it.',
  config: { by: ref(HandlerKind).optional() },
  settings: config(string()),
  create: () => ({
    wraps: {
      Handler: wrap(HandlerKind, (inner, word: string, env) => {
        if (word === 'fault') throw new Error('no')
        if (word === 'refuse') throw new ConfigError([{ pointer: '/word', message: 'not this word' }])
        env.onDispose(() => void released.push(word))
        return inner
      }),
    },
  }),
})

const released: string[] = []

/** Fails with each request. */
const Failing = defineDecorator({
  name: 'Failing',
  kind: DecoratorKind,
  summary: 'Fails with each request.',
  config: {},
  settings: config(string()),
  create: () => ({
    wraps: {
      Handler: wrap(HandlerKind, (_inner, word: string) => async () => {
        await null
        throw new Error(word)
      }),
    },
  }),
})

const TYPES: readonly TypeDefinition[] = [Stone, Around, Picky, Failing, EchoHandler, MarkDecorator]
const Document = documentType({ handler: ref(HandlerKind).optional(), stone: ref(StoneKind).optional() })

/** Decorators m and n, and decorators that reject their configuration or fail. */
const DECORATORS = [
  { name: 'failing', type: 'Failing' },
  { name: 'm', type: 'MarkDecorator' },
  { name: 'n', type: 'MarkDecorator' },
  { name: 'picky', type: 'Picky' },
]

function open(json: JsonObject, options: Partial<DocumentOptions> = {}) {
  return openDocument(Document, json, { types: TYPES, defaults: DECORATORS, ...options })
}

/** Names of the decorators that a request passes, in order. */
async function trail(json: JsonObject, options: Partial<DocumentOptions> = {}): Promise<string> {
  const document = open(json, options)
  return marks(await document.buildFor(({ handler }) => document.decorateMain(handler as Handler)))
}

async function marks(handler: Handler): Promise<string> {
  const response = await handler(exchangeFor('GET', 'http://app.example/'))
  return response.headers.get('echo-trail') ?? ''
}

async function refused(json: JsonObject, ...messages: string[]): Promise<void> {
  await assert.rejects(trail(json), (error: unknown) => {
    assert.ok(error instanceof ConfigError, String(error))
    assert.deepEqual(error.problems.map(formatProblem), messages)
    return true
  })
}

test('the last decoration of an object is the outermost', async () => {
  assert.equal(await trail({ handler: { type: 'EchoHandler', m: 'first', n: 'second' } }), 'second first')
  assert.equal(await trail({ handler: { type: 'EchoHandler', n: 'first', m: 'second' } }), 'second first')
})

test('decorations from the innermost: local, global, then those of the document on its main handler', async () => {
  const json = {
    globalDecorators: { m: 'global-m', n: 'global-n' },
    handler: { type: 'EchoHandler', m: 'local' },
    m: 'document-m',
    n: 'document-n',
  }
  assert.equal(await trail(json), 'document-n document-m global-n global-m local')
})

test('global decorations of the parent are inside those of the child', async () => {
  const root = open({ globalDecorators: { m: 'root' } })
  await root.build()
  const json = { globalDecorators: { m: 'child' }, handler: { type: 'EchoHandler', m: 'local' } }
  assert.equal(await trail(json, { parent: root.heap, defaults: [] }), 'child root local')
})

test('objects of a parent have the decorations of the parent only', async () => {
  const root = open({ globalDecorators: { m: 'root' }, heap: [{ name: 'echo', type: 'EchoHandler', n: 'local' }] })
  await root.build()
  const json = { globalDecorators: { m: 'child' }, handler: 'echo' }
  assert.equal(await trail(json, { parent: root.heap, defaults: [] }), 'root local')
})

test('global decorations wrap every object of a supported kind, inline objects included', async () => {
  const handler = { type: 'Around', config: { inner: { type: 'EchoHandler', m: 'local' } } }
  assert.equal(await trail({ globalDecorators: { m: 'global' }, handler }), 'global global local')
  const { stone } = await open({ globalDecorators: { m: 'global' }, stone: { type: 'Stone' } }).build()
  assert.deepEqual(stone, {})
})

test('a local decoration of an unsupported kind is rejected', async () => {
  await refused(
    { heap: [{ name: 'stone', type: 'Stone', m: 'x' }], handler: { type: 'EchoHandler' } },
    '/heap/0/m: the decorator "m" can not decorate a Stone',
  )
})

test('null disables a decoration', async () => {
  assert.equal(await trail({ handler: { type: 'EchoHandler', m: null } }), '')
})

test('a key that names no decorator is an error, with a suggestion; comments are not', async () => {
  await refused(
    { handler: { type: 'EchoHandler', comment: 'x', _m: 1, pikcy: 'x' }, hanlder: {} },
    '/hanlder: unknown field, and no decorator of that name; did you mean "handler"?',
    '/handler/pikcy: unknown field, and no decorator of that name; did you mean "picky"?',
  )
  await refused(
    { globalDecorators: { mm: 'x' }, handler: { type: 'EchoHandler' } },
    '/globalDecorators/mm: unknown field, and no decorator of that name; did you mean "m"?',
  )
  await refused(
    { globalDecorators: ['m'], handler: { type: 'EchoHandler' } },
    '/globalDecorators: expected an object: decorator name to its value',
  )
})

test('the settings of a decorator are decoded and settled like any field', async () => {
  await refused({ handler: { type: 'EchoHandler', m: 5 } }, '/handler/m: expected a string, got 5')
  await refused(
    { handler: { type: 'EchoHandler', picky: '${1 > 0}' } },
    '/handler/picky: ${1 > 0} gave a bad value: expected a string, got true',
  )
})

test('a decorator that rejects its configuration is reported with the pointer of its use', async () => {
  await refused(
    { handler: { name: 'front', type: 'EchoHandler', picky: 'fault' } },
    '/handler/picky: the decorator "picky" can not decorate front: no',
  )
  await refused({ handler: { type: 'EchoHandler', picky: 'refuse' } }, '/handler/picky/word: not this word')
})

test('a main handler that can not be decorated disposes the built objects', async () => {
  released.length = 0
  await refused(
    { handler: { type: 'EchoHandler', picky: 'built' }, picky: 'fault' },
    '/picky: the decorator "picky" can not decorate handler: no',
  )
  assert.deepEqual(released, ['built'])
})

test('an object of another kind that hides a decorator is reported', async () => {
  await refused(
    { heap: [{ name: 'm', type: 'EchoHandler' }], handler: { type: 'EchoHandler', m: 'x' } },
    '/handler/m: expected a Decorator, got a Handler',
  )
})

test('decorators are never decorated', async () => {
  const document = open({
    globalDecorators: { m: 'x' },
    heap: [{ name: 'own', type: 'MarkDecorator', m: 'x' }],
    handler: { type: 'EchoHandler', own: 'own' },
  })
  const { handler } = await document.build()
  assert.equal(await marks(handler as Handler), 'x own')
  assert.deepEqual(document.warnings.map(formatProblem), [
    '/heap/0/m: decorators are never decorated; m has no effect here',
  ])
})

test('a decorator that references an object which it decorates is a cycle', async () => {
  await refused(
    {
      heap: [
        { name: 'loop', type: 'Picky', config: { by: 'echo' } },
        { name: 'echo', type: 'EchoHandler' },
      ],
      globalDecorators: { loop: 'x' },
      handler: 'echo',
    },
    '/globalDecorators/loop: these objects need each other, so none can be built: loop -> echo -> loop',
  )
})

test('a child and a global decorator of its parent that wait for each other are a cycle', async () => {
  let outcome: unknown
  const opening = defineType({
    name: 'Opening',
    kind: HandlerKind,
    summary: 'Opens a child document while it is built, as a router does.',
    config: {},
    async create(_, env): Promise<Handler> {
      await env.router.openRouter(
        { name: '', directory: '', scanInterval: 0, order: 'name', defaultHandler: null },
        env,
      )
      return async () => assert.fail('never asked')
    },
  })
  const document: ReturnType<typeof open> = open(
    {
      heap: [{ name: 'loop', type: 'Picky', config: { by: { type: 'Opening', comment: 'a router' } } }],
      globalDecorators: { loop: 'x' },
    },
    {
      types: [...TYPES, opening],
      onRouter: (heap: Heap, buildPath) => {
        const child = open({ handler: { type: 'EchoHandler' } }, { parent: heap, buildPath, defaults: [] })
        outcome = child.build().catch((error: Error) => error.message)
      },
      router: { openRouter: async () => (await outcome) as Handler },
    },
  )
  await assert.rejects(document.build(), ConfigError)
  assert.equal(
    await outcome,
    '/globalDecorators/loop: these objects need each other, so none can be built: loop -> {Opening}/heap/0/config/by -> loop',
  )
})

test('a fault of a decorator is reported under the name of the decorated object', async () => {
  const origin = async (json: JsonObject, options: Partial<DocumentOptions> = {}) => {
    const document = open(json, options)
    const { handler } = await document.build()
    const decorated = await document.decorateMain(handler as Handler)
    return decorated(exchangeFor('GET', 'http://app.example/')).then(
      () => assert.fail('it should fail'),
      (error: unknown) => faultOrigin(error),
    )
  }
  const front = { name: 'front', type: 'EchoHandler' }
  assert.equal(await origin({ handler: { ...front, failing: 'x' } }), 'gateway+front')
  assert.equal(await origin({ handler: front, globalDecorators: { failing: 'x' } }), 'gateway+front')
  assert.equal(await origin({ handler: front, failing: 'x' }), 'gateway+handler')
  assert.equal(await origin({ handler: { ...front, failing: 'x', m: 'y' }, m: 'z' }), 'gateway+front')
  const root = open({ globalDecorators: { failing: 'x' } })
  await root.build()
  const child = { parent: root.heap, segments: ['gateway', 'child'], defaults: [] }
  assert.equal(await origin({ handler: front }, child), 'gateway+child+front')
})
