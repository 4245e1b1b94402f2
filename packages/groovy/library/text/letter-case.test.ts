import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runGroovy } from '../../testing/run-groovy.ts'

// With a Groovy of Java 17.
const CASES: Readonly<Record<string, string>> = {
  "'admin'.equalsIgnoreCase('ADM\u0130N')": 'true',
  "'ADM\u0130N'.equalsIgnoreCase('admi\u0307n')": 'false',
  "'stra\u00dfe'.equalsIgnoreCase('STRASSE')": 'false',
  "'token'.equalsIgnoreCase('TO\u212aEN')": 'true',
  "'\u0130'.compareToIgnoreCase('i')": '0',
  "'a\u0130b'.compareToIgnoreCase('AIC')": '-1',
  "'x\u0130y'.containsIgnoreCase('iY')": 'true',
  "'\u0130y'.startsWithIgnoreCase('i')": 'true',
  "'x\u0130'.endsWithIgnoreCase('I')": 'true',
  "'xi\u0307'.endsWithIgnoreCase('\u0130')": 'false',
  "Character.toUpperCase('\u00df' as char)": '\u00df',
  "Character.toLowerCase('\u0130' as char)": 'i',
}

for (const [source, expected] of Object.entries(CASES)) {
  test(`${source} is ${expected}`, async () => {
    assert.equal((await runGroovy(source)).text, expected)
  })
}
