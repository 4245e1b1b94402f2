import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProperties } from './system-properties.ts'

test('-D defines a property; without a value it is empty', () => {
  assert.deepEqual(startProperties(['a=1', 'b.c=x=y', 'd'], {}), { a: '1', 'b.c': 'x=y', d: '' })
})

test('JAVA_OPTS is split as by a shell; options other than -D are ignored', () => {
  const cases: [string, Record<string, string>][] = [
    ['', {}],
    ['-Xmx1g -Da=1  -server\n-Db=2', { a: '1', b: '2' }],
    [
      '-Da="with blanks" -Db=\'single "quotes"\' -Dc=back\\ slash',
      { a: 'with blanks', b: 'single "quotes"', c: 'back slash' },
    ],
    ['"-Da=x y" -Db="say \\"hi\\" \\\\ \\n"', { a: 'x y', b: 'say "hi" \\ \\n' }],
    ['-Da=mixed"in "side\' of\'', { a: 'mixedin side of' }],
    ['-Da="not closed', { a: 'not closed' }],
    ['-D -Da= trailing\\', { a: '' }],
  ]
  for (const [text, expected] of cases) assert.deepEqual(startProperties([], { JAVA_OPTS: text }), expected, text)
})

test('the command line overrides JAVA_OPTS', () => {
  assert.deepEqual(startProperties(['a=line'], { JAVA_OPTS: '-Da=options -Db=options' }), { a: 'line', b: 'options' })
})

test('CATALINA_OPTS and IG_OPTS are read too, and override JAVA_OPTS', () => {
  const env = {
    JAVA_OPTS: '-Da=java -Db=java -Dc=java',
    CATALINA_OPTS: '-Xmx1g -Db=tomcat -Dc=tomcat',
    IG_OPTS: '-Dc=ig',
  }
  assert.deepEqual(startProperties([], env), { a: 'java', b: 'tomcat', c: 'ig' })
})
