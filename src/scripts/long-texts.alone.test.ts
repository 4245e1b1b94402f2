import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { resultOf } from '#test/evaluate-script'

// Limits of size are tested, not those of time, on a busy machine too.
const run = (source: string): Promise<unknown> => resultOf(source, { timeout: 30_000 })

// Without the limits V8 ends the process of this test, or does not return from the call for minutes.
const LONG = "const long = 'x'.repeat(140_000_000);"
const DOUBLED = "let long = 'xxxxxxxx'; while (long.length < 2e8) long += long;"

const FATAL: Readonly<Record<string, string>> = {
  'split at every character': `${LONG} long.split('')`,
  'split of a string that grew by addition': `${DOUBLED} long.split('')`,
  'split at a string': "'x,'.repeat(140_000_000).split(',')",
  'split at a regular expression': `${LONG} long.split(/(?:)/)`,
  'split with a limit': `${LONG} long.split('', 2 ** 31)`,
  'split of a String object': `${LONG} Object(long).split('')`,
  'split of a value with a text': `${LONG} ''.split.call({ toString: () => long }, '')`,
  'split of a value with a text, at an object': `${LONG} ''.split.call({ toString: () => long }, { toString: () => '' })`,
  'split of a value with a text, at an object whose method goes away': `${LONG}
    let reads = 0
    const separator = { get [Symbol.split]() { reads += 1; return reads > 1 ? undefined : ''.split }, toString: () => '' }
    ''.split.call({ toString: () => long }, separator)
    ''.split.call({ toString: () => long }, separator)`,
  'split of a value whose text changes': `${LONG}
    let reads = 0
    ''.split.call({ toString: () => { reads += 1; return reads > 1 ? long : 'x' } }, '').length === 1 || long.split('')
    ''.split.call({ toString: () => long }, '')`,
  'split by the method of regular expressions': `${LONG} /(?:)/[Symbol.split](long)`,
  'split by that method, of a value with a text': `${LONG} /(?:)/[Symbol.split]({ toString: () => long })`,
  'split at a regular expression of a subclass': `${LONG} long.split(new (class extends RegExp {})('x'))`,
  'a match of every character': `${LONG} long.match(/x/g)`,
  'a match by the method of regular expressions': `${LONG} /x/g[Symbol.match](long)`,
  'a match of a value with a text': `${LONG} ''.match.call({ toString: () => long }, /x/g)`,
  'a replacement by a function': `${LONG} long.replace(/x/g, () => '')`,
  'a replacement by a string': `${LONG} long.replace(/x/g, 'y')`,
  'a replacement by the method of regular expressions': `${LONG} Reflect.apply(RegExp.prototype[Symbol.replace], /x/g, [long, 'y'])`,
  'a replacement by a long template': "'a'.replace(/a/, '$&'.repeat(70_000_000))",
  'a replacement by a long template of an object': "'a'.replace(/a/, { toString: () => '$&'.repeat(70_000_000) })",
  'a replacement of all': `${LONG} long.replaceAll('x', 'yy')`,
  'a replacement of all matches': `${LONG} long.replaceAll(/x/g, 'yy')`,
  'JSON with a long array': "JSON.parse('[' + '0,'.repeat(140_000_000) + '0]')",
  'JSON of a value with a text': "JSON.parse({ toString: () => '[' + '0,'.repeat(140_000_000) + '0]' })",
}

for (const [what, source] of Object.entries(FATAL)) {
  test(`${what}: a script gets a RangeError with the limit where the value is too large`, async () => {
    assert.match(
      String(await run(`try { ${source} } catch (error) { return error.constructor === RangeError && error.message }`)),
      /^a string of \d+ characters is too long for this function, at most (16777216|33554432) are allowed$/,
    )
  })
}

test('values at the limit are accepted, and one more is not', async () => {
  const source = `
    const fails = (act) => { try { act(); return false } catch (error) { return error instanceof RangeError } }
    const text = 'x'.repeat(2 ** 24), json = '"' + 'x'.repeat(2 ** 25 - 2) + '"'
    const longer = text + 'x', longerJson = json + ' '
    return [
      () => text.split('y'), () => text.match(/y/g), () => text.replace(/^x/, ''), () => text.replaceAll('y', ''),
      () => JSON.parse(json), () => longer.split('y'), () => longer.match(/y/g), () => longer.replace(/^x/, ''),
      () => longer.replaceAll('y', ''), () => JSON.parse(longerJson),
    ].map(fails)`
  assert.deepEqual(await run(source), [...Array(5).fill(false), ...Array(5).fill(true)])
})

test('an error of a limit has the location of the script', async () => {
  await assert.rejects(run(`const a = 1\n${LONG} long.split('')`), {
    name: 'ScriptError',
    message:
      'test.js:2:44: RangeError: a string of 140000000 characters is too long for this function, at most 16777216 are allowed',
  })
})

test('no place in a realm holds a function without its limit', async () => {
  const source = `
    const seen = new Set(), found = []
    const walk = (value, path) => {
      if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return
      seen.add(value)
      const isNative = typeof value === 'function' && Function.prototype.toString.call(value).includes('[native code]')
      if (isNative && NAMES.has(value.name)) found.push(path)
      walk(Object.getPrototypeOf(value), path + '.__proto__')
      for (const key of Reflect.ownKeys(value)) {
        const own = Object.getOwnPropertyDescriptor(value, key)
        for (const part of ['value', 'get', 'set']) walk(own[part], path + '.' + String(key))
      }
    }
    const NAMES = new Set(['split', 'replaceAll', 'parse', '[Symbol.split]', '[Symbol.match]', '[Symbol.replace]'])
    for (const name of Reflect.ownKeys(globalThis)) walk(globalThis[name], String(name))
    walk([][Symbol.iterator](), 'iterator'); walk(''.matchAll(/x/g), 'matches'); walk((function () { return arguments })(), 'arguments')
    return found`
  assert.deepEqual(await run(source), [])
})

const SAME: readonly string[] = [
  "['split', 'replaceAll'].map((name) => ({ ...Object.getOwnPropertyDescriptor(String.prototype, name), value: 0 }))",
  "['split', 'replaceAll'].map((name) => [String.prototype[name].name, String.prototype[name].length, 'prototype' in String.prototype[name]])",
  '[Symbol.split, Symbol.match, Symbol.replace].map((key) => [RegExp.prototype[key].name, RegExp.prototype[key].length])',
  '[JSON.parse.name, JSON.parse.length, Object.keys(JSON).length]',
  "'a,b,c'.split(',')",
  "'a,b,c'.split(',', 2)",
  "'a,b'.split()",
  "'a,b'.split(undefined, 0)",
  "'a1b2'.split(/(\\d)/)",
  "'abc'.split('', -1)",
  "'anullb'.split(null)",
  "''.split.call(12321, 2)",
  "''.split.call(true, 'u')",
  "''.split.call(['a', 'b'], ',', '1')",
  "''.split.call({ toString: () => 'a-b' }, /-/)",
  "''.split.call(Object('a-b'), { toString: () => '-' }, { valueOf: () => 1 })",
  "'a'.split({ [Symbol.split]: (text, limit) => [text, limit] }, 7)",
  "const self = Object('a'); ''.split.call(self, { [Symbol.split]: (text) => text === self })",
  "''.split.call(null, '')",
  "''.split.call(Symbol('x'), '')",
  "'a'.split(Symbol('x'))",
  "new String.prototype.split('')",
  "const order = []; ''.split.call({ toString() { order.push('this'); return 'a' } }, { get [Symbol.split]() { order.push('get') }, toString() { order.push('separator'); return '' } }, { valueOf() { order.push('limit'); return 1 } }); order",
  "'aXbX'.replaceAll('X', '$&$&')",
  "'aXbX'.replaceAll(/x/gi, (m, at) => at)",
  "'a'.replaceAll(/a/, 'b')",
  "''.replaceAll.call(121, 1, 3)",
  "''.replaceAll.call(undefined, 1, 3)",
  "'ab'.replace(/(?<n>a)/, '[$<n>$1]')",
  "'ab'.replace(/a/, undefined)",
  "'ab'.replace(/b/g, null)",
  "'ab'.replace(/b/g, { toString: () => '$&$&' })",
  "'aab'.match(/a/g)",
  "'aab'.match(/a/).index",
  "'b'.match(/a/g)",
  "'undefined'.match()[0]",
  "/a/g[Symbol.match](Object('aa'))",
  "RegExp.prototype[Symbol.match].call(1, 'a')",
  "RegExp.prototype[Symbol.split].call('a', { toString() { throw 1 } })",
  "RegExp.prototype[Symbol.replace].call({ exec: () => null, flags: 'g', global: true }, 'abc', 'x')",
  "class R extends RegExp { exec(text) { const found = super.exec(text); if (found) found[0] = 'Z'; return found } }; 'aba'.match(new R('a', 'g'))",
  "class R extends RegExp { static get [Symbol.species]() { return function (source, flags) { return new RegExp('b', flags) } } }; 'abc'.split(new R('c'))",
  "/a/[Symbol.replace](Symbol('x'), '')",
  "const order = []; /a/[Symbol.replace]({ toString() { order.push('text'); return 'a' } }, { toString() { order.push('by'); return 'a' } }); order",
  "JSON.parse('[1,2]', (key, value) => (Array.isArray(value) ? value : value + 1))",
  'JSON.parse(12)',
  'JSON.parse()',
  "JSON.parse('{')",
  "JSON.parse(['1'])",
  'new JSON.parse("1")',
]

test('below the limits every function behaves as that of the language', async () => {
  const body = (source: string): string => {
    const at = source.lastIndexOf('; ')
    const whole = /^(const|class) /.test(source)
      ? `${source.slice(0, at)}; return ${source.slice(at + 2)}`
      : `return ${source}`
    return `(() => { try { return JSON.stringify((() => { ${whole} })()) ?? 'undefined' } catch (error) { return String(error) } })()`
  }
  const all = `[${SAME.map(body).join(',\n')}]`
  const expected = runInNewContext(all) as string[]
  const actual = (await run(`return ${all}`)) as string[]
  for (const [at, source] of SAME.entries()) assert.equal(actual[at], expected[at], source)
})
