// Errors of the gateway's own code within a script: the log has their stack, which scripts and clients do not see.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger, type Logger, logEvents, memoryLog } from '#logging'
import type { ScriptLanguage } from '#scripts'
import { scriptOf } from '#test/evaluate-script'

/** Values that fail when the gateway passes them to a script, at two places. */
const first = {
  get member(): string {
    throw new TypeError('fault of the first value')
  },
}
const second = {
  get member(): string {
    throw new TypeError('fault of the second value')
  },
}

const EVENTS = logEvents('GW_TEST', {
  FAILED: { message: 'the request failed', meaning: 'A test failed it.', action: 'Nothing.' },
})

/** Logs the failure of a script, as a route does. */
async function failureOf(language: ScriptLanguage, log: Logger, value: object): Promise<void> {
  const script = scriptOf('return value.member', { language, values: { value } })
  const error: unknown = await script.evaluate().then(
    () => assert.fail('the script did not fail'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof Error)
  log.error({ error }, EVENTS.FAILED)
}

for (const language of ['groovy', 'javascript'] as const) {
  test(`a fault of the gateway in a script of ${language} is logged with its stack, each of several`, async () => {
    const destination = memoryLog()
    const log = createLogger({ level: 'info', format: 'json', destination })
    for (const value of [first, second, second]) await failureOf(language, log, value)
    const [one = '', two = '', again = ''] = destination.entries.map((entry) => JSON.stringify(entry['error']))
    assert.match(one, /fault of the first value.*get member.*internal-faults\.test\.ts/)
    assert.match(two, /fault of the second value.*get member.*internal-faults\.test\.ts/)
    assert.doesNotMatch(again, /internal-faults\.test\.ts/)
  })
}

test('a script can not catch a fault of the interpreter, and a result of the wrong type is no fault', async () => {
  const caught = 'try { return value.member } catch (Throwable e) { return e.toString() }'
  await assert.rejects(scriptOf(caught, { language: 'groovy', values: { value: first } }).evaluate(), {
    name: 'ScriptError',
    message: 'test.groovy: fault of the first value',
  })
  const wrong: unknown = await scriptOf('1', { language: 'groovy' })
    .evaluate('response')
    .catch((thrown: unknown) => thrown)
  assert.ok(wrong instanceof Error)
  assert.match(wrong.message, /^test\.groovy: expected the script to return a Response/)
  assert.equal(wrong.cause, undefined)
})
