import assert from 'node:assert/strict'
import test from 'node:test'
import { slowness } from '../../test/support/loop-watch.ts'
import { compileRegex, MatchError, RegexSyntaxError, replaceMatches, splitAt } from './index.ts'

const maxMilliseconds = 200
const long = 50_000

const hostile: readonly (readonly [string, string])[] = [
  ['(a+)+$', 'a'],
  ['(a|a)*$', 'a'],
  ['(a|aa)+$', 'a'],
  ['(.*a){20}', 'a'],
  ['(.*a){20}x', 'a'],
  ['(.*a){12}x', 'a'],
  ['^(?!x)(a+)+$', 'a'],
  ['(?!x)(a+)+$', 'a'],
  ['(\\w+)\\1$', 'a'],
  ['^(\\w+)+\\1!$', 'a'],
  ['([a-z]+)*\\1$', 'a'],
  ['(?=.*b)a', 'a'],
  ['(?=(a+)+b)a', 'a'],
  ['(?>a+)b', 'a'],
  ['a++b', 'a'],
  ['.{0,1000}x', 'a'],
  ['(?<=(a{1,50}))b', 'a'],
  ['(?<=a{1,50}a{1,50})b', 'a'],
  ['(x+x+)+y', 'x'],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
  ['(.*)(.*)(.*)(.*)(.*)b', 'a'],
  ['\\s+$', ' '],
  ['^(a?){200}a{200}$', 'a'],
  ['(?:a?){50}(?!c)b', 'a'],
  ['(?m)(.+)+$', '\n'],
  ['(?i)(a|A|b)*c', 'a'],
  ['a+a+a+$', 'a'],
  ['^.*x.*y.*z', 'x'],
  ['(?:ab)*$', 'ab'],
  ['a*?b', 'a'],
  ['(a{0,3}){0,5}b', 'a'],
  // A long literal costs its length at each start, although it has no alternatives.
  ['a{5000}b', 'a'],
  ['(?:a{99}b|a{99}c|a{99}d)', 'a'],
  // A step of the linear engine of V8 takes ten times as long as one of its backtracking engine.
  ['.{0,200}x', 'a'],
  ['\\p{L}{1,16}@', '\uffdc'],
  // Each iteration pushes a hundred group positions on the stack of V8.
  [`(?:${'('.repeat(50)}a${')'.repeat(50)})*`, 'a'],
  [`^${'(a)?'.repeat(99)}.{0,20}x`, 'a'],
  [`${'a?'.repeat(25)}${'a'.repeat(25)}b`, 'a'],
  ['(a*)*b', 'a'],
  ['(?:a|b|ab)*c', 'ab'],
  ['.*.*.*=.*', 'a'],
  ['^(?:[^,]*,)*$', 'a,'],
  ['a*b?b?b?b?b?b?b?b?$', 'a'],
  [`(?i)${Array.from({ length: 500 }, (_, index) => `aaa${index}`).join('|')}`, 'a'],
  ['(?:(?=.*b)|a)*c', 'a'],
  ['(?=(?=(?=.*b).*b).*b)a', 'a'],
  // Backwards, the choices are before the long literal.
  ['(?<=a{200}(?:a?){10})b', 'a'],
  ['(?<=(b[a]{0,254}))c', 'a'],
  ['(?iu)(.+)\\1x', 'Ж'],
]

/** CPU time of this thread in milliseconds, independent of the load of the machine. */
function timeOf(search: () => unknown): number {
  const before = process.threadCpuUsage()
  try {
    search()
  } catch (error) {
    assert.ok(error instanceof MatchError || error instanceof RegexSyntaxError, String(error))
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** The least time of a few tries, on a machine of usual speed. */
function leastTimeOf(search: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && least >= maxMilliseconds; tries++) least = Math.min(least, timeOf(search))
  return least < maxMilliseconds ? least : least / slowness()
}

for (const [pattern, unit] of hostile) {
  test(`${pattern.slice(0, 60)} does not stall on ${long} hostile characters`, () => {
    const subject = `${unit.repeat(long / unit.length)}!`
    const matcher = compileRegex(pattern)
    for (const search of [() => matcher.matchWhole(subject), () => replaceMatches(matcher, subject, '', 'all')]) {
      const elapsed = leastTimeOf(search)
      assert.ok(elapsed < maxMilliseconds, `took ${elapsed} ms`)
    }
  })
}

test('V8 is within its time at every length of the text up to its limit', () => {
  for (const pattern of ['a+$', '.{0,16}x', '[ab]{0,15}[ac]{0,15}x', '^a*a*a*$', '(.)(.)(.).{0,9}x']) {
    const matcher = compileRegex(pattern)
    for (let length = 64; length <= 128 * 1024; length *= 2) {
      const elapsed = leastTimeOf(() => matcher.test(`${'a'.repeat(length - 1)}!`))
      assert.ok(elapsed < maxMilliseconds, `${pattern} took ${elapsed} ms on ${length} characters`)
    }
  }
})

test('a pattern that exhausts the memory of V8 is an evaluation error', () => {
  const groups = compileRegex(`^(?:${'('.repeat(90)}a${')'.repeat(90)})*b`)
  for (const length of [20_000, 50_000, 250_000, 1_000_000]) {
    assert.throws(() => groups.matchWhole('a'.repeat(length)) ?? groups.test('a'.repeat(250_000)), MatchError)
  }
})

test('many short matches that each look far ahead are stopped', () => {
  const matcher = compileRegex('a(.*b)?')
  const subject = 'a'.repeat(long)
  assert.throws(() => replaceMatches(matcher, subject, 'x', 'all'), MatchError)
  assert.throws(() => splitAt(matcher, subject), MatchError)
  assert.ok(leastTimeOf(() => replaceMatches(matcher, subject, 'x', 'all')) < maxMilliseconds)
})

test('a hostile pattern compiles quickly or is rejected', () => {
  const patterns = [
    `(?iu)${'\\W'.repeat(480)}`,
    `(?iu)${'[^a]'.repeat(240)}`,
    '((?:){10000}){10000}'.repeat(10),
    '(((a{9}){9}){9}){9}',
    '(a{0,100}){0,100}',
    '\\p{L}'.repeat(190),
    `${'[a-z&&'.repeat(15)}a${']'.repeat(15)}`,
    `${'(?:'.repeat(99)}a${'){2}'.repeat(99)}`,
    `(?:(?:${'a?'.repeat(450)}){4}){4}`,
    'a'.repeat(15_000),
  ]
  for (const pattern of patterns) {
    const elapsed = timeOf(() => compileRegex(pattern).test('a'.repeat(1000)))
    assert.ok(elapsed < 2 * maxMilliseconds, `${pattern.slice(0, 30)} took ${elapsed} ms`)
  }
})
