import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { setFlagsFromString } from 'node:v8'
import fc from 'fast-check'
import { emitLinear } from './emit.ts'
import { compileRegex, RegexSyntaxError } from './index.ts'
import { Machine } from './machine.ts'
import { parseRegex } from './parser.ts'
import { compileProgram } from './program.ts'

// V8 runs all of these patterns here, also those that compileRegex would not pass to it.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks')

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\R')
// Engines differ for a repeated part that can match the empty string, so these are not repeated.
const place = fc.constantFrom('', '\\b', '^', '$', '(?m:^)', '(?<=a)', '(?<!b)', '(?<=a|bb)')
const ahead = fc.constantFrom('(?=a)', '(?!b)', '(?=.*b)', '(?!a+b)')
const quantifier = fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '{2}', '{1,3}', '{0,20}', '{18}', '{2,}')

const piece = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc.oneof(
    fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
    fc.tuple(tie('piece'), tie('piece')).map(([left, right]) => `${left}|${right}`),
  ),
  piece: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.tuple(atom, quantifier).map(([inner, count]) => `(?:${inner})${count}`),
    fc.tuple(tie('pattern'), quantifier).map(([inner, count]) => `(?:${inner})${count}`),
  ),
})).piece

const patternsWith = (places: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(places, piece, places, piece, places).map((parts) => parts.join(''))

const subjects = fc.array(fc.constantFrom('a', 'b', '\n', ' '), { maxLength: 12 }).map((letters) => letters.join(''))

test('the machine finds the same matches as V8', () => {
  fc.assert(
    fc.property(patternsWith(place), subjects, (pattern, subject) => {
      const parsed = parseRegex(pattern, '')
      const source = emitLinear(parsed.root)
      // V8 takes seconds to generate code for the largest.
      fc.pre(source !== null && source.length < 2000)
      const program = compileProgram(parsed)
      // The end of a match may differ for a repeated part that can match the empty string; JavaScript and Java differ too.
      const found = new Machine(program, subject, 'part').search(0)
      assert.equal(found?.[0], new RegExp(source!).exec(subject)?.index)
      const whole = new Machine(program, subject, 'whole').search(0)
      assert.equal(whole !== null, new RegExp(`^(?:${source})$`).test(subject))
    }),
    { numRuns: 800 },
  )
})

test('the machine agrees with V8 on look-ahead', () => {
  // Without nesting, since V8 has no linear engine for look-ahead.
  const loops = fc.tuple(fc.constantFrom('a', 'b', '[ab]', '(?:ab|a)'), quantifier).map((parts) => parts.join(''))
  const pattern = fc.tuple(ahead, loops, ahead, loops).map((parts) => parts.join(''))
  fc.assert(
    fc.property(pattern, subjects, (source, subject) => {
      const native = new RegExp(source).exec(subject)
      const slots = new Machine(compileProgram(parseRegex(source, '')), subject, 'part').search(0)
      assert.deepEqual(
        slots === null ? null : [slots[0], slots[1]],
        native && [native.index, native.index + native[0].length],
      )
    }),
    { numRuns: 2000 },
  )
})

test('the linear engine of V8 accepts every pattern that is emitted for it', () => {
  const sources = fc
    .sample(patternsWith(place), 1500)
    .concat(
      '(?i)abc{40}',
      '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
      '(?<n>a{4}){4}',
      '(a{2}){9}',
      '(?<=(a))b',
      '\\p{L}{1,64}',
      // An unbounded repetition of a part that can match the empty string needs one more copy.
      '(?:(?:a{3}|b*)+){3}',
      '(?:(?:a*){2,}){6}',
    )
    .map((pattern) => emitLinear(parseRegex(pattern, '').root))
    .filter((source) => source !== null)
  assert.ok(sources.length > 500)
  const check = `
    const sources = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
    const refused = sources.filter((source) => { try { new RegExp(source, 'l'); return false } catch { return true } })
    process.stdout.write(JSON.stringify(refused))`
  const { stdout } = spawnSync(process.execPath, ['--enable-experimental-regexp-engine', '-e', check], {
    input: JSON.stringify(sources),
    encoding: 'utf8',
  })
  assert.equal(stdout, '[]')
})

test('no text makes the pattern compiler throw anything but a syntax error', () => {
  const letters = fc.constantFrom(
    ...'ab(){}[]|*+?^$.\\-&,:<>=!iQEpkx019 #'.split(''),
    '(?',
    '(?<',
    '(?i)',
    '&&',
    '\\p{L}',
  )
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 20 }), (pieces) => {
      try {
        compileRegex(pieces.join('')).test('aab(){}')
        return true
      } catch (error) {
        return error instanceof RegexSyntaxError
      }
    }),
    { numRuns: 5000 },
  )
})
