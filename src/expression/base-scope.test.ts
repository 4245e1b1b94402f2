import assert from 'node:assert/strict'
import test from 'node:test'
import { baseScope, compile, compileLeftValue, scopeOf } from './index.ts'

const scope = baseScope({
  env: { HOME: '/home/x', EMPTY: undefined },
  system: { 'user.dir': '/d' },
  now: () => Date.UTC(2024, 1, 29, 12, 0, 0, 250),
  gateway: { instanceDirectory: '/i', configDirectory: '/i/config', temporaryDirectory: '/i/tmp' },
})
const evaluate = (source: string): unknown => compile(`\${${source}}`).evaluate(scope)

const results: readonly (readonly [string, unknown])[] = [
  ["env['HOME']", '/home/x'],
  ['env.HOME', '/home/x'],
  ['env.EMPTY', null],
  ['env.toString', null],
  ["system['user.dir']", '/d'],
  ['openig.instanceDirectory', '/i'],
  ['openig.configDirectory', '/i/config'],
  ['gateway.temporaryDirectory', '/i/tmp'],
  ['openig.baseDirectory', '/i'],
  ['now.epochMillis', 1709208000250],
  ['now.epochSeconds', 1709208000],
  ['now.rfc1123', 'Thu, 29 Feb 2024 12:00:00 GMT'],
  ['now.getEpochSeconds()', 1709208000],
  ['now.plusMillis(750).epochMillis', 1709208001000],
  ['now.plusSeconds(1).epochSeconds', 1709208001],
  ['now.plusMinutes(30).epochSeconds', 1709209800],
  ['now.plusHours(1).epochSeconds', 1709211600],
  ['now.plusDays(1).rfc1123', 'Fri, 01 Mar 2024 12:00:00 GMT'],
  ['now.minusMillis(250).epochMillis', 1709208000000],
  ['now.minusSeconds(1).epochSeconds', 1709207999],
  ['now.minusMinutes(1).epochSeconds', 1709207940],
  ['now.minusHours(1).epochSeconds', 1709204400],
  ['now.minusDays(1).epochSeconds', 1709121600],
  ['toString(now)', '2024-02-29T12:00:00.250Z'],
]

for (const [source, expected] of results) {
  test(`${source} is ${expected}`, () => assert.equal(evaluate(source), expected))
}

test('an instant out of range, or an addition of another type than a number, fails', () => {
  assert.throws(() => evaluate('now.plusDays(99999999999)'))
  assert.throws(() => evaluate("now.plusDays('x')"))
  assert.throws(() => evaluate('now.plusDays()'))
})

test('the environment is read-only', () => {
  compileLeftValue('${env.HOME}').assign(scope, 'changed')
  assert.equal(evaluate('env.HOME'), '/home/x')
})

test('own bindings take precedence over those of the parent', () => {
  const child = scopeOf({ now: 'mine', own: 1 }, scope)
  assert.equal(compile('${now} ${own} ${env.HOME} ${toString}').evaluate(child), 'mine 1 /home/x ')
})
