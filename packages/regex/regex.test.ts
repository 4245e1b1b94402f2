import assert from 'node:assert/strict'
import test from 'node:test'
import {
  cachedRegex,
  compileRegex,
  expandTemplate,
  literalRegex,
  RegexSyntaxError,
  replaceMatches,
  splitAt,
} from './index.ts'

/** A pattern, a text, and the groups of the first match, or null. */
const searches: readonly (readonly [string, string, readonly (string | null)[] | null])[] = [
  ['b+', 'abbc', ['bb']],
  ['^b', 'ab', null],
  ['(a)|(b)', 'b', ['b', null, 'b']],
  ['(?<year>\\d{4})-(?<month>\\d\\d)', 'in 2024-05', ['2024-05', '2024', '05']],
  ['a{2,3}', 'aaaa', ['aaa']],
  ['a{2,3}?', 'aaaa', ['aa']],
  ['a{32}', 'a'.repeat(40), ['a'.repeat(32)]],
  ['^a{1,64}@', 'aaa@', ['aaa@']],
  ['(?:ab){17,}', 'ab'.repeat(20), ['ab'.repeat(20)]],
  ['(a|b){20}', 'ab'.repeat(10), ['ab'.repeat(10), 'b']],
  ['a{0}b', 'ab', ['b']],
  // flags
  ['(?i)abc', 'xABC', ['ABC']],
  ['a(?i)b', 'aB', ['aB']],
  ['a(?i)b', 'AB', null],
  ['a(?i:b)c', 'aBc', ['aBc']],
  ['a(?i:b)c', 'aBC', null],
  ['(?i)a(?-i)b', 'Ab', ['Ab']],
  ['(?i)a(?-i)b', 'AB', null],
  ['((?i)a)b', 'AB', null],
  ['a(?i)b|c', 'C', ['C']],
  ['(?i)[a-c]+', 'xAbC', ['AbC']],
  ['(?i)[^a]', 'aAb', ['b']],
  ['(?i)é', 'É', null],
  ['(?iu)é', 'É', ['É']],
  ['a.b', 'a\nb', null],
  ['(?s)a.b', 'a\nb', ['a\nb']],
  ['a.b', 'a\u0085b', null],
  ['(?d)a.b', 'a\rb', ['a\rb']],
  ['(?m)^b', 'a\nb', ['b']],
  ['(?m)^b$', 'a\nb\nc', ['b']],
  ['^b$', 'a\nb\nc', null],
  ['b$', 'b\n', null],
  ['(?x) a b # comment', 'ab', ['ab']],
  ['(?x) a\\ b', 'a b', ['a b']],
  ['(?x) [a b]+ ', 'ab', ['ab']],
  // escapes
  ['\\Qa.b\\E+', 'a.bbb', ['a.bbb']],
  ['\\Q(*', '(*', ['(*']],
  ['\\x41\\u0042\\x{43}\\0104', 'ABCD', ['ABCD']],
  ['\\t\\n\\r\\f\\a\\e\\cA', '\t\n\r\f\u0007\u001b\u0001', ['\t\n\r\f\u0007\u001b\u0001']],
  ['\\x{1F600}+', 'a😀😀', ['😀😀']],
  ['\\s', '\u00a0', null],
  ['\\h', '\u00a0', ['\u00a0']],
  ['\\v+', '\n\u2028', ['\n\u2028']],
  ['\\H\\V\\S\\D\\W', 'aaaa-', ['aaaa-']],
  ['a\\Rb', 'a\r\nb', ['a\r\nb']],
  ['\\Ab', 'ab', null],
  ['b\\z', 'b\n', null],
  ['b\\Z', 'b\n', ['b']],
  ['b\\Z', 'b\r\n', ['b']],
  ['b\\Z', 'b\nc', null],
  ['\\bfoo\\b', 'a foo b', ['foo']],
  ['\\Boo\\b', 'foo', ['oo']],
  // classes
  ['[a-z&&[^aeiou]]+', 'aeixyz', ['xyz']],
  ['[a-z&&b-d]+', 'abcdef', ['bcd']],
  ['[a-c[x-z]]+', 'maxyb', ['axyb']],
  ['[^a-z&&[def]]', 'da', ['a']],
  ['[]a]+', 'x]a', [']a']],
  ['[a-]+', 'x-a', ['-a']],
  ['[\\w.-]+', 'x.y-z', ['x.y-z']],
  ['[\\Q^]\\E]+', 'a^]', ['^]']],
  ['\\p{Alpha}+', '1aB', ['aB']],
  ['\\p{Punct}\\p{XDigit}\\p{Space}', '!f ', ['!f ']],
  ['\\P{Digit}+', '1ab2', ['ab']],
  ['\\p{Lu}+', 'aÀÉb', ['ÀÉ']],
  ['\\p{IsAlphabetic}+', '1éa', ['éa']],
  ['\\p{IsGreek}+', 'aαβ', ['αβ']],
  ['\\p{javaLowerCase}+', 'Aé', ['é']],
  ['\\pL+', '1é', ['é']],
  // not supported by the linear engine
  ['^(?!/public)/\\w+', '/private', ['/private']],
  ['^(?!/public)/\\w+', '/public', null],
  ['^(?=.*\\d)(?=.*[a-z]).{4,}$', 'abc1', ['abc1']],
  ['^(?=.*\\d)(?=.*[a-z]).{4,}$', 'abcd', null],
  ['(?=(a+))a*b\\1', 'baaabac', ['aba', 'a']],
  ['(?<=\\$)\\d+', '€5 $42', ['42']],
  ['(?<!a)b', 'ab bb', ['b']],
  ['(?<=(a|bc))d', 'bcd', ['d', 'bc']],
  ['(\\w)\\1', 'hello', ['ll', 'l']],
  ['(?<q>[\'"]).*?\\k<q>', `say "it's"`, [`"it's"`, '"']],
  ['(?i)(a)\\1', 'aA', ['aA', 'a']],
  ['(?i)(k)\\1', 'k\u212a', null],
  ['(?iu)(k)\\1', 'k\u212a', ['k\u212a', 'k']],
  ['(a)?\\1b', 'b', null],
  ['(?>a+)b', 'aaab', ['aaab']],
  ['(?>a+)ab', 'aaab', null],
  ['a++ab', 'aaab', null],
  ['a*+b', 'aab', ['aab']],
  ['(?:a|ab)++c', 'abc', null],
  ['(?:(a)|b)*(?!c)', 'ab', ['ab', 'a']],
  ['(?:a?)*?b(?!x)', 'aab', ['aab']],
]

for (const [pattern, subject, expected] of searches) {
  test(`${pattern} in ${JSON.stringify(subject.slice(0, 30))} finds ${JSON.stringify(expected)?.slice(0, 60)}`, () => {
    assert.deepEqual(compileRegex(pattern).find(subject)?.groups ?? null, expected)
    assert.equal(compileRegex(pattern).test(subject), expected !== null)
  })
}

const refused: readonly (readonly [string, RegExp])[] = [
  ['(', /no closing "\)"/],
  [')', /unmatched "\)"/],
  ['[a', /no closing "\]"/],
  ['[]', /no closing "\]"/],
  ['*a', /repeats nothing/],
  ['a**', /repeats nothing/],
  ['a{', /repeats nothing/],
  ['a{3,2}', /wrong order/],
  ['[z-a]', /wrong order/],
  ['\\', /ends too early/],
  ['\\1', /no group 1/],
  ['\\k<x>', /no group x/],
  ['\\y', /\\y is not supported/],
  ['\\G', /\\G, is not supported/],
  ['\\X', /\\X, is not supported/],
  ['\\b{g}', /\\b\{\.\.\.\} is not supported/],
  ['\\N{DIGIT ONE}', /\\N, is not supported/],
  ['\\p{InNowhere}', /\\p\{InNowhere\} is not supported/],
  ['(?U)a', /flag "U" is not supported/],
  ['(?P<x>a)', /not supported/],
  ['(?<=a*)b', /obvious maximum length/],
  ['[😀]', /beyond U\+FFFF/],
  ['(?<a>x)(?<a>y)', /two groups called a/],
  ['a{100000}', /at most 10000/],
  ['(?:a{1000}){1000}(?!b)', /too large/],
  ['(?:'.repeat(200) + ')'.repeat(200), /nested deeper/],
  ['(a)'.repeat(100), /at most 99 groups/],
  ['a'.repeat(20_000), /at most/],
]

for (const [pattern, message] of refused) {
  test(`${pattern.slice(0, 40)} is rejected with the reason`, () => {
    assert.throws(
      () => compileRegex(pattern),
      (error: unknown) => error instanceof RegexSyntaxError && message.test(error.message),
    )
  })
}

test('a whole match covers the text, with any order of alternatives', () => {
  assert.notEqual(compileRegex('a|ab').matchWhole('ab'), null)
  assert.equal(compileRegex('a|ab').matchWhole('abc'), null)
  assert.notEqual(compileRegex('(?!x)(?:a|ab)').matchWhole('ab'), null)
  assert.equal(compileRegex('(?!x)(?:a|ab)').matchWhole('abc'), null)
  assert.equal(compileRegex('(?!x)b').matchWhole('ab'), null)
})

test('a literal pattern is found in long texts', () => {
  const subject = `${'x'.repeat(1_000_000)}a.bé${'x'.repeat(1_000_000)}a.bé`
  const matcher = compileRegex('a\\.bé')
  assert.equal(matcher.test(subject), true)
  assert.equal(matcher.test('a.b'), false)
  assert.deepEqual(
    [...matcher.findAll(subject)].map(({ index, end, groups }) => [index, end, groups]),
    [
      [1_000_000, 1_000_004, ['a.bé']],
      [2_000_004, 2_000_008, ['a.bé']],
    ],
  )
  assert.equal(matcher.matchWhole('xa.bé'), null)
  assert.deepEqual(matcher.matchWhole('a.bé')?.groups, ['a.bé'])
})

test('flags may be given beside the pattern', () => {
  assert.equal(compileRegex('a.b', 'is').test('A\nB'), true)
})

test('templates insert groups as in Java', () => {
  const match = compileRegex('(?<first>a)(b)?(c)').find('ac')!
  assert.equal(expandTemplate('$0|$1|$2|$3|${first}', match), 'ac|a||c|a')
  assert.equal(expandTemplate('\\$1\\\\', match), '$1\\')
  assert.equal(expandTemplate('$12', match), 'a2')
  for (const template of ['$', '$x', '$9', '${none}', 'a\\']) assert.throws(() => expandTemplate(template, match))
})

test('replacing and splitting follow Java', () => {
  const replaced = (pattern: string, text: string, by: string): string =>
    replaceMatches(compileRegex(pattern), text, by, 'all')
  assert.equal(replaced('a*', 'baac', '-'), '-b--c-')
  assert.equal(replaced('(?=a)', 'aba', '-'), '-ab-a')
  assert.equal(replaced('x', 'abc', '-'), 'abc')
  assert.deepEqual(splitAt(compileRegex(''), 'abc'), ['a', 'b', 'c'])
  assert.deepEqual(splitAt(compileRegex(','), ',a,,b,,'), ['', 'a', '', 'b'])
  assert.deepEqual(splitAt(compileRegex(','), ''), [''])
  assert.deepEqual(splitAt(compileRegex('(?<=,)'), 'a,b'), ['a,', 'b'])
})

test('a literal pattern that is needed several times is compiled once; only one of a request has a limit of length', () => {
  assert.equal(literalRegex('^/once/'), literalRegex('^/once/'))
  const long = 'a'.repeat(2_000)
  assert.equal(literalRegex(long).test(long), true)
  assert.throws(() => cachedRegex(long), RegexSyntaxError)
})
