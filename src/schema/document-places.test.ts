// Places of members that the document has under an old name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseScope } from '#expression'
import type { JsonValue } from '#json'
import {
  clearText,
  config,
  decode,
  documentPointer,
  formatProblem,
  integer,
  kind,
  list,
  listOrOne,
  map,
  object,
  ref,
  renames,
  requiredUnless,
  settle,
  string,
} from './index.ts'

const limits = object({ most: config(integer({ max: 9 })) }, { older: renames({ 'max-count': 'most' }) })

const FIELDS = object(
  {
    servers: list(limits).default([]),
    named: config(map(limits)).default({}),
    cookie: object({ name: config(string({ nonEmpty: true })), path: config(string()).default('/') }).optional(),
    agent: object({ user: string(), passwordSecretId: config(string()) }).optional(),
    secretsProvider: ref(kind<object>('SecretsProvider')).optional(),
  },
  {
    older: [
      ...renames({ 'the/servers': 'servers', cookieName: 'cookie.name', cookiePath: 'cookie.path' }),
      clearText('agent.password', 'agent.passwordSecretId', 'agent.password'),
    ],
  },
)

const problemsOf = (json: object) => decode(FIELDS, json, '/config').problems.map(formatProblem)

test('problems are at the names that the document has, also inside of each other', () => {
  assert.deepEqual(problemsOf({ 'the/servers': [{ most: 1 }, { 'max-count': 10 }], ' named ': { a: { x: 1 } } }), [
    '/config/the~1servers/1/max-count: expected an integer of at most 9, got 10',
    '/config/ named /a/x: unknown field',
    '/config/ named /a/most: expected an integer of at most 9; this field is required',
  ])
})

test('a member of a member has the place of its old name, beside members with the current one', () => {
  assert.deepEqual(problemsOf({ cookieName: '' }), ['/config/cookieName: expected a string that is not empty'])
  assert.deepEqual(problemsOf({ cookie: { pth: '/' }, cookieName: '', cookiePath: 5 }), [
    '/config/cookie/pth: unknown field; did you mean "path"?',
    '/config/cookieName: expected a string that is not empty',
    '/config/cookiePath: expected a string, got 5',
  ])
})

test('warnings have the same places', () => {
  const { warnings } = decode(FIELDS, { 'the/servers': [{ 'max-count': [1] }], cookieName: ['a'] }, '/config')
  assert.deepEqual(
    warnings.map(({ pointer }) => pointer),
    [
      '/config/the~1servers',
      '/config/cookieName',
      '/config/the~1servers/0/max-count',
      '/config/the~1servers/0/max-count',
      '/config/cookieName',
    ],
  )
})

test('a rule names the field as it is written', () => {
  const field = object(
    { url: string().optional(), uri: string().optional() },
    { rules: [requiredUnless('url', 'uri')], older: renames({ address: 'url' }) },
  )
  assert.deepEqual(decode(field, { address: 'a', uri: 'b' }, '').problems.map(formatProblem), [
    '/address: give exactly one of url, uri',
  ])
})

test('a pointer into decoded values becomes one into the document', () => {
  const json = {
    'the/servers': [{ most: 1 }, { 'max-count': 2 }],
    named: { a: { 'max-count': 3 } },
    cookieName: 'a',
    agent: { user: 'u', password: 'p' },
  }
  const { value } = decode(FIELDS, json, '')
  for (const [pointer, written] of [
    ['', ''],
    ['/servers/0/most', '/the~1servers/0/most'],
    ['/servers/1/most', '/the~1servers/1/max-count'],
    ['/servers/7/most', '/the~1servers/7/most'],
    ['/named/a/most', '/named/a/max-count'],
    ['/cookie/name', '/cookieName'],
    ['/agent/user', '/agent/user'],
    ['/agent/passwordSecretId', '/agent/password'],
    ['/secretsProvider', '/agent/password'],
    ['/unknown/x', '/unknown/x'],
    ['no pointer', 'no pointer'],
  ] as const) {
    assert.equal(documentPointer(value, pointer), written)
  }
})

test('a single value in place of a list has no index', () => {
  const field = object({ servers: listOrOne(limits) })
  const located = (servers: JsonValue, pointer: string) =>
    documentPointer(decode(field, { servers }, '').value, pointer)
  assert.equal(located({ 'max-count': 1 }, '/servers/0/most'), '/servers/max-count')
  assert.equal(located({ 'max-count': 1 }, '/servers'), '/servers')
  assert.equal(located([{ 'max-count': 1 }], '/servers/0/most'), '/servers/0/max-count')
})

test('problems of expressions are at the names that the document has', async () => {
  const scope = baseScope({
    env: {},
    system: {},
    now: () => 0,
    gateway: { instanceDirectory: '/', configDirectory: '/', temporaryDirectory: '/' },
  })
  const { value } = decode(FIELDS, { 'the/servers': [{ 'max-count': '${4 + 6}' }], cookieName: "${''}" }, '')
  const inheritedSecrets = () => assert.fail('no secrets')
  const context = { scope, warn: () => {}, resolve: () => Promise.resolve(null), inheritedSecrets }
  await assert.rejects(settle(value, context, '/config'), {
    problems: [
      {
        pointer: '/config/the~1servers/0/max-count',
        message: '${4 + 6} gave a bad value: expected an integer of at most 9, got 10',
      },
      {
        pointer: '/config/cookieName',
        message: "${''} gave a bad value: expected a string that is not empty",
      },
    ],
  })
})
