// The compiler rejects code that uses a result without waiting for it: an unused `@ts-expect-error` is an error too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../compile/frame.ts'
import {
  compileProgram,
  coreLibrary,
  extend,
  type ListValue,
  suspend,
  ThrowableValue,
  textOf,
  truth,
  type Value,
} from '../index.ts'
import { runGroovy } from '../testing/run-groovy.ts'
import { ClassInfo } from '../values/class-info.ts'
import { ObjectClass } from '../values/classes.ts'
import { callValue, invokeMethod } from './invoke.ts'
import { andThen, type Maybe, PENDING, settled } from './pending.ts'
import { getProperty } from './property.ts'

/** Never called: its lines are for the compiler. */
export function forgottenWaits(node: Node, callee: Value, list: ListValue): Maybe {
  // @ts-expect-error the value of a node may be pending
  const value: Value = node([])
  // @ts-expect-error so may be the result of a closure
  const length = textOf(callValue(callee, [])).length
  // @ts-expect-error of a method
  list.items.push(invokeMethod(list, 'first', []))
  // @ts-expect-error and of a property
  if (truth(getProperty(list, 'size'))) return value
  return andThen(callValue(callee, []), (late) => list.set(length, late) ?? null)
}

const LaterClass = extend(new ClassInfo('test.Later', { parent: ObjectClass }), {
  'static value(Object value): Object': (value: Value) => suspend(Promise.resolve(value)),
})
const library = coreLibrary().with([LaterClass])

test('a pending result is no value of a script', () => {
  assert.notEqual(typeof PENDING, 'object')
})

test('a result that is needed at once is refused while it is pending', () => {
  assert.equal(settled(5, 'a comparison'), 5)
  assert.throws(
    () => settled(suspend(Promise.resolve(5)), 'a comparison'),
    (error) => error instanceof ThrowableValue && /can not wait within a comparison/.test(error.message ?? ''),
  )
})

const inConversion = `class Point { def x; Point(a) { x = test.Later.value(a) } }
`

for (const [use, where] of [
  ['Point p = [1]; p.x', 'a conversion'],
  ['Point[] all = [[1]]; all[0].x', 'a conversion'],
] as const) {
  test(`${use} is refused where the constructor waits, and stores nothing that is pending`, async () => {
    await assert.rejects(runGroovy(inConversion + use, { library }), new RegExp(`can not wait within ${where}`))
  })
}

test('a cast waits for the constructor', async () => {
  assert.equal((await runGroovy(`${inConversion}((Point) [1]).x`, { library })).text, '1')
})

test('a program with a constructor that waits compiles', () => {
  assert.equal(compileProgram({ text: inConversion, file: 'a.groovy', library }).classes.length, 1)
})
