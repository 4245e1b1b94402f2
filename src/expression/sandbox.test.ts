import assert from 'node:assert/strict'
import test from 'node:test'
import { compile, compileLeftValue, EvaluationError, type Exposure, exposed, scopeOf } from './index.ts'

const exposure: Exposure<Host> = {
  kind: 'host',
  get: {
    name: (self) => self.shown,
    isReady: () => true,
    uri: () => ({ path: '/p' }),
    leaky: () => () => 'function',
    failing: () => {
      throw new TypeError('inside the host')
    },
  },
  set: { name: (self, value) => self.rename(value) },
  call: { greet: (_self, who) => `hello ${who}`, toString: () => 'the host' },
  index: (self, key) => self.entries.get(String(key)),
  assignIndex: (self, key, value) => void self.entries.set(String(key), value),
  keys: (self) => self.entries.keys() as Iterable<string>,
}

class Host {
  shown = 'shown'
  hidden = 'hidden'
  readonly entries = new Map<string, unknown>([['header', ['v']]])

  get [exposed](): Exposure<Host> {
    return exposure
  }

  rename(value: unknown): void {
    this.shown = String(value)
  }
}

class Opaque {
  secret = 'secret'
  method(): string {
    return 'called'
  }
}

const host = new Host()
const scope = scopeOf({
  host,
  opaque: new Opaque(),
  map: { own: 1 },
  list: [1],
  text: 't',
  fn: () => 'called',
  date: new Date(0),
  error: new Error('e'),
  hasFunction: { f: () => 'called' },
})
const evaluate = (text: string): unknown => compile(text).evaluate(scope)

const hidden = [
  '${host.hidden}',
  '${host.constructor}',
  '${host.__proto__}',
  '${host.entries}',
  '${host.rename}',
  '${host.leaky}',
  "${host['constructor']}",
  "${host['greet']}",
  '${opaque.secret}',
  '${opaque.method}',
  '${map.__proto__}',
  '${map.constructor}',
  '${map.toString}',
  '${map.hasOwnProperty}',
  "${map['__proto__']['polluted']}",
  '${list.constructor}',
  '${list.push}',
  '${list.__proto__}',
  '${text.constructor}',
  "${''.constructor}",
  '${text.__proto__}',
  '${five.constructor}',
  '${fn}',
  '${fn.call}',
  '${date.getTime}',
  '${error.stack}',
  '${hasFunction.f}',
  '${constructor}',
  '${__proto__}',
  '${globalThis}',
  '${process}',
]

for (const source of hidden) {
  test(`${source} is null`, () => assert.equal(evaluate(source), null))
}

const refused = [
  "${''.constructor('x')}",
  '${host.getClass()}',
  '${host.rename(1)}',
  '${host.constructor()}',
  '${host.hasOwnProperty(1)}',
  '${host.valueOf()}',
  "${map.constructor('x')}",
  '${map.__defineGetter__(1, 2)}',
  '${list.push(1)}',
  "${list.map('x')}",
  '${opaque.method()}',
  '${date.getTime()}',
  "${text['constructor']('x')}",
  '${host.failing}',
]

for (const source of refused) {
  test(`${source} fails`, () => assert.throws(() => evaluate(source), EvaluationError))
}

test('classic sandbox escapes are syntax errors or failures', () => {
  assert.throws(() => compile("${''.constructor.constructor('return process')()}"))
  assert.equal(evaluate("${''.constructor.constructor}"), null)
  assert.equal(evaluate("${''.constructor.constructor('return process')}"), null)
})

test('bean getters and properties are equivalent', () => {
  for (const source of ['${host.name}', '${host.getName()}', "${host['name']}", '${host.getName}']) {
    assert.equal(evaluate(source), 'shown')
  }
  for (const source of ['${host.ready}', '${host.isReady}', '${host.isReady()}']) assert.equal(evaluate(source), true)
  assert.equal(evaluate('${host.uri.path}'), '/p')
  assert.equal(evaluate("${host.greet('you')}"), 'hello you')
  assert.equal(evaluate('<${host}>'), '<the host>')
})

test('a host object with keys can be used like a map', () => {
  assert.deepEqual(evaluate("${host['header'][0]}"), 'v')
  assert.equal(evaluate('${host.absent}'), null)
  assert.equal(evaluate('${empty host}'), false)
  assert.equal(evaluate('${length(host)}'), 1)
  assert.equal(evaluate('${host.size()}'), 1)
  assert.equal(evaluate("${host.containsKey('header')}"), true)
  assert.equal(evaluate("${keyMatch(host, 'h.*')}"), 'header')
})

test('one expression works on objects of different kinds alternately', () => {
  const expression = compile('${x.name}')
  const values = [host, { name: 'plain' }, new Map([['name', 'mapped']]), null, host, 'text']
  assert.deepEqual(
    values.map((x) => expression.evaluate(scopeOf({ x }))),
    ['shown', 'plain', 'mapped', null, 'shown', null],
  )
})

test('only setters and entries are writable', () => {
  const target = new Host()
  const warnings: string[] = []
  const writing = { lookup: () => target, warn: (text: string) => void warnings.push(text) }
  compileLeftValue('${host.name}').assign(writing, 'new')
  compileLeftValue("${host['entry']}").assign(writing, 2)
  assert.equal(target.shown, 'new')
  assert.equal(target.entries.get('entry'), 2)
  compileLeftValue('${host.uri}').assign(writing, 'x')
  assert.equal(warnings.length, 1)
})

test('__proto__ assigned by an expression is an ordinary entry', () => {
  const attributes: Record<string, unknown> = {}
  const writing = scopeOf({ attributes })
  compileLeftValue('${attributes.__proto__}').assign(writing, { polluted: true })
  assert.equal(Object.getPrototypeOf(attributes), Object.prototype)
  assert.equal(Object.hasOwn(attributes, '__proto__'), true)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  compileLeftValue('${attributes.constructor.prototype.polluted}').assign(scopeOf({ attributes: {} }), true)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

test('the length of strings is limited', () => {
  assert.throws(() => evaluate("${'x'.repeat(20000000)}"), EvaluationError)
  const big = scopeOf({ big: 'x'.repeat(9_000_000) })
  assert.throws(() => compile('${big}${big}').evaluate(big), EvaluationError)
  assert.throws(() => compile('${big.concat(big)}').evaluate(big), EvaluationError)
  assert.throws(() => compile("${big.replace('x', 'yyy')}").evaluate(big), EvaluationError)
})
