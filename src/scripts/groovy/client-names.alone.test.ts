// Names that clients choose, where scripts look up members and time zones by them, are not kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { scriptOf } from '#test/evaluate-script'

const NAMES = 3_000

/** Each reads something by `name`, which is another one in each turn; failures are ignored. */
const readings: Readonly<Record<string, string>> = {
  'a member of JSON': 'json([a: 1])[name]',
  'a property of JSON': 'json([a: 1])."$name"',
  'an element of XML': 'xml."$name"',
  'a property that does not exist': '"text"."$name"',
  'a method that does not exist': '[1]."$name"()',
  'a static method that does not exist': 'Integer."$name"()',
  'a method of a class with methodMissing': 'new Any()."$name"()',
  'a property of a class with propertyMissing': 'new Any()."$name"',
  'a header of the request': 'request.headers[name]',
}

/** Heap in use after a full garbage collection. */
const heapUsed = (): number => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return process.memoryUsage().heapUsed
}

for (const [what, reading] of Object.entries(readings)) {
  test(`the names by which a script reads ${what} are not kept`, async () => {
    const script = scriptOf(
      `import static org.forgerock.json.JsonValue.json
       class Any { def methodMissing(String n, a) { 1 }\ndef propertyMissing(String n) { 2 } }
       def xml = new XmlSlurper().parseText('<a><b/></a>')
       ${NAMES}.times { def name = "n" + System.nanoTime() + "x" + it; try { ${reading} } catch (Exception e) { } }
       1`,
      { language: 'groovy', timeout: 30_000 },
    )
    await script.evaluate()
    const before = heapUsed()
    for (let round = 0; round < 3; round++) await script.evaluate()
    const kept = (heapUsed() - before) / (3 * NAMES)
    assert.ok(kept < 20, `${kept} bytes are left of each name`)
  })
}

test('spellings of a time zone are not kept', async () => {
  const script = scriptOf(
    `def zone = 'america/argentina/buenos_aires'
     1000.times { n ->
       def spelling = (0..<zone.size()).collect { ((n >> (it % 10)) & 1) == 1 ? zone[it].toUpperCase() : zone[it] }.join()
       java.util.TimeZone.getTimeZone(spelling)
     }
     1`,
    { language: 'groovy', timeout: 30_000 },
  )
  const before = heapUsed()
  await script.evaluate()
  const kept = heapUsed() - before
  assert.ok(kept < 5_000_000, `${kept} bytes are left`)
})
