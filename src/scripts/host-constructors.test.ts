import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disableHostConstructors } from './host-constructors.ts'

test('constructors of functions compile nothing, and libraries recognise the kind of a function by them', () => {
  const samples = [() => {}, async () => {}, function* () {}, async function* () {}]
  disableHostConstructors()
  for (const [index, name] of ['Function', 'AsyncFunction', 'GeneratorFunction', 'AsyncGeneratorFunction'].entries()) {
    const sample = samples[index] as () => unknown
    assert.throws(() => sample.constructor('return 1'), EvalError)
    assert.equal(sample.constructor.name, name)
    assert.equal(sample.constructor.toString(), `function ${name}() { [native code] }`)
    assert.ok(sample instanceof sample.constructor)
  }
})
