import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { compile, EvaluationError, type Scope, scopeOf } from '../index.ts'
import { functions } from './table.ts'

const directory = mkdtempSync(join(tmpdir(), 'expression-'))
after(() => rmSync(directory, { recursive: true }))
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(directory, name), content)
  return join(directory, name)
}

const bindings = {
  list: ['a', 'b', 'c'],
  set: new Set(['a']),
  map: { one: 1, two: 2 },
  bytes: new Uint8Array([0x68, 0xc3, 0xa9]),
  n: null,
  bad: '(',
  textFile: file('text.txt', 'héllo'),
  latinFile: file('latin.txt', Buffer.from('héllo', 'latin1')),
  properties: file(
    'p.properties',
    '# comment\n! other\na=1\nb : two words \nc\\ d=x\\\n   y\ne\nf=\\u00e9\\t\\=\n__proto__=p\n',
  ),
  directory,
}
const scope = scopeOf(bindings)
const evaluate = (call: string): unknown => compile(`\${${call}}`).evaluate(scope)

const results: readonly (readonly [string, unknown])[] = [
  ['array()', []],
  ["array('a', 'b')", ['a', 'b']],
  ["bool('TRUE')", true],
  ["bool('yes')", false],
  ['bool(null)', false],
  ["boolean('true')", true],
  ["contains('abc', 'b')", true],
  ["contains(list, 'b')", true],
  ["contains(list, 'z')", false],
  ["contains(set, 'a')", true],
  ["contains(n, 'a')", false],
  ["contains('abc', n)", false],
  ["decodeBase64('aMOp')", 'hé'],
  ["decodeBase64('aA==')", 'h'],
  ["decodeBase64('aA')", 'h'],
  ["decodeBase64('a*b')", null],
  ["decodeBase64('a')", null],
  ["decodeBase64('aA=')", null],
  ["decodeBase64('aA===')", null],
  ["decodeBase64('aB==')", null],
  ["decodeBase64('aB')", null],
  ["decodeBase64('aGl=')", null],
  ["decodeBase64(' aM\nOp\t\r ')", 'hé'],
  ["decodeBase64('aA = =')", 'h'],
  ["decodeBase64('aMO-')", null],
  ["decodeBase64('')", ''],
  ["decodeBase64url('aB')", null],
  ['decodeBase64(n)', null],
  ["decodeBase64url('_-8')", '\ufffd\ufffd'],
  ["decodeBase64url('a+b/')", null],
  ["encodeBase64('hé')", 'aMOp'],
  ['encodeBase64(bytes)', 'aMOp'],
  ['encodeBase64(n)', null],
  ["encodeBase64url('>>>?')", 'Pj4-Pw'],
  ["encodeBase64url(digestSha256('abc'))", 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'],
  ['digestSha256(bytes).length', 32],
  ["encodeBase64(hmacSha256('data', 'key'))", 'UDH+PZicbRU3oBP6bnOdojRj/a7DtwE32Cjjas4iG9A='],
  ["escapeJson('a\"b\\\\\\\\c')", 'a\\"b\\\\\\\\c'],
  ['escapeJson(n)', null],
  ["find('/path/x', '^/path')", true],
  ["find('/path/x', 'x$')", true],
  ["find('/path/x', '^x')", false],
  ["find(n, 'x')", false],
  ["find(list, 'b')", true],
  ["find(list, '^a')", false],
  ["matches(list, '^.a, b, c.$')", true],
  ["find(map, '=')", true],
  ['toUpperCase(list)', '[A, B, C]'],
  ["find('x', n)", false],
  ["find('x', bad)", false],
  ["find(5, '5')", true],
  ["matches('/path/x', 'ath')", true],
  ["matchesWithRegex('/path/x', 'ath')", false],
  ["matchesWithRegex('/path/x', '/path/.')", true],
  ["matchesWithRegex('ab', 'a|ab')", true],
  ["findGroups('k=v', '(\\\\w)=(\\\\w)')", ['k=v', 'k', 'v']],
  ["findGroups('k', '(k)|(v)')", ['k', 'k', null]],
  ["findGroups('x', '(k)')", null],
  ["findGroups('x', bad)", null],
  ["matchingGroups('ab', 'b')", ['b']],
  ["keyMatch(map, 't.*')", 'two'],
  ["keyMatch(map, 'w')", null],
  ["keyMatch(n, 'w')", null],
  ["formEncodeParameterNameOrValue('a b&c=é')", 'a+b%26c%3D%C3%A9'],
  ["formDecodeParameterNameOrValue('a+b%26%C3%A9')", 'a b&é'],
  ["urlEncode('a b')", 'a+b'],
  ["urlDecode('a+b%zz')", 'a b%zz'],
  ['urlDecode(n)', null],
  ["urlEncodePathElement('a b/c;d=e')", 'a%20b%2Fc;d=e'],
  ["urlDecodePathElement('a+b%2F')", 'a+b/'],
  ["urlEncodeQueryParameterNameOrValue('a=b&c+d/e')", 'a%3Db%26c%2Bd/e'],
  ["urlDecodeQueryParameterNameOrValue('a%20b')", 'a b'],
  ["urlEncodeFragment('a#b?c')", 'a%23b?c'],
  ["urlDecodeFragment('a%23b')", 'a#b'],
  ["urlEncodeUserInfo('u:p@h')", 'u:p%40h'],
  ["urlDecodeUserInfo('u%40h')", 'u@h'],
  ["indexOf('abc', 'b')", 1],
  ["indexOf('abc', 'z')", -1],
  ["indexOf(n, 'z')", -1],
  ["integer('42')", 42],
  ["integer('-7')", -7],
  ["integer('4x')", null],
  ["integer('')", null],
  ['integer(n)', null],
  ["integerWithRadix('ff', 16)", 255],
  ["integerWithRadix('12', 2)", null],
  ["ipMatch('10.1.2.3', '10.0.0.0/8')", true],
  ["ipMatch('11.1.2.3', '10.0.0.0/8')", false],
  ["ipMatch('10.1.2.3', '10.1.2.3')", true],
  ["ipMatch('1.2.3.4', '0.0.0.0/0')", true],
  ["ipMatch('::ffff:10.1.2.3', '10.0.0.0/8')", true],
  ["ipMatch('2001:db8:1::9', '2001:db8::/32')", true],
  ["ipMatch('2001:db9::9', '2001:db8::/32')", false],
  ["ipMatch('fe80::1%eth0', 'fe80::/10')", true],
  ["ipMatch('10.1.2.3', '2001:db8::/32')", false],
  ["ipMatch('no address', '10.0.0.0/8')", false],
  ["ipMatch(n, '10.0.0.0/8')", false],
  ["join(list, ',')", 'a,b,c'],
  ["join(array('x'), ',')", 'x'],
  ["join(n, ',')", null],
  ['lastElement(list)', 'c'],
  ['lastElement(array())', null],
  ['lastElement(n)', null],
  ["length('abc')", 3],
  ['length(list)', 3],
  ['length(map)', 2],
  ['length(set)', 1],
  ['length(n)', 0],
  ['length(5)', 0],
  ['read(textFile)', 'héllo'],
  ["read('/does/not/exist')", null],
  ['read(directory)', null],
  ['read(n)', null],
  ["readWithCharset(latinFile, 'ISO-8859-1')", 'héllo'],
  ["readWithCharset(textFile, 'UTF-8')", 'héllo'],
  ['readProperties(properties).a', '1'],
  ['readProperties(properties).b', 'two words '],
  ["readProperties(properties)['c d']", 'xy'],
  ['readProperties(properties).e', ''],
  ['readProperties(properties).f', 'é\t='],
  ['readProperties(properties).__proto__', 'p'],
  ["readProperties('/does/not/exist')", null],
  ["split('a,b,,c,,', ',')", ['a', 'b', '', 'c']],
  ["split('abc', ',')", ['abc']],
  ["split(n, ',')", null],
  ['toJson(\'{"a":[1,2]}\').a[1]', 2],
  ["toJson('[true]')[0]", true],
  ["toJson('{bad')", null],
  ['toJson(n)', null],
  ['toJson(\'{"__proto__":{"x":1}}\').__proto__.x', 1],
  ["toLowerCase('AbC')", 'abc'],
  ["toUpperCase('AbC')", 'ABC'],
  ["trim('  a ')", 'a'],
  ['toString(5)', '5'],
  ['toString(list)', '[a, b, c]'],
  ['toLowerCase(n)', null],
  ['toUpperCase(n)', null],
  ['trim(n)', null],
  ['toString(n)', null],
  ["fileToUrl('/a b/c')", 'file:///a%20b/c'],
  ["pathToUrl('/x')", pathToFileURL('/x').href],
  ['fileToUrl(n)', null],
  ['pemCertificate(n)', null],
  ['derCertificate(n)', null],
]

for (const [call, expected] of results) {
  test(`${call} gives ${JSON.stringify(expected)}`, () => assert.deepEqual(evaluate(call), expected))
}

const failures = [
  'trim(bytes)',
  "keyMatch('text', 'a')",
  "join(5, ',')",
  "ipMatch('10.0.0.1', '10.0.0.0/33')",
  "ipMatch('10.0.0.1', 'somewhere')",
  "integerWithRadix('1', 99)",
  "integerWithRadix('1', 'x')",
  "pemCertificate('nonsense')",
  'derCertificate(bytes)',
  "derCertificate('text')",
  "readWithCharset(textFile, 'no-such-charset')",
  "hmacSha256('x', n)",
  'lastElement(5)',
]

for (const call of failures) {
  test(`${call} fails`, () => assert.throws(() => evaluate(call), EvaluationError))
}

test('every function is tested here', () => {
  const called = new Set(
    [...results.map(([call]) => call), ...failures].flatMap((call) => call.match(/\w+(?=\()/g) ?? []),
  )
  assert.deepEqual(
    [...functions.keys()].filter((name) => !called.has(name)),
    [],
  )
})

test('an invalid regular expression from a request gives false and a warning', () => {
  const warnings: string[] = []
  const warned: Scope = { lookup: () => '(', warn: (message) => void warnings.push(message) }
  assert.equal(compile("${find('x', pattern)}").evaluate(warned), false)
  assert.equal(compile("${matchesWithRegex('x', pattern)}").evaluate(warned), false)
  assert.equal(compile("${split('x', pattern)}").evaluate(warned), null)
  assert.equal(warnings.length, 3)
  assert.match(warnings[0]!, /find\(\) was given a regular expression that does not compile/)
})

test('JSON nested too deep for safe handling is null', () => {
  const deep = scopeOf({ deep: '['.repeat(100_000) + ']'.repeat(100_000), quoted: JSON.stringify('['.repeat(500)) })
  assert.equal(compile('${toJson(deep)}').evaluate(deep), null)
  assert.equal(compile('${length(toJson(quoted))}').evaluate(deep), 500)
})

test('a long text that is no address does not stall ipMatch()', () => {
  const before = process.threadCpuUsage()
  for (const address of [`${'%'.repeat(100_000)}\n`, `[${']'.repeat(100_000)}\n`, '1'.repeat(100_000)]) {
    assert.equal(compile("${ipMatch(address, '10.0.0.0/8')}").evaluate(scopeOf({ address })), false)
  }
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 200_000, `took ${user + system} µs`)
})
