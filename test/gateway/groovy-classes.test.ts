// Classes below scripts/groovy that scripts import, while they change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'

const greeting = (text: string): string => `
package com.acme

class Greeting {
  static final String PREFIX = '${text}'
  final String name
  Greeting(String name) { this.name = name }
  String text() { Names.polite(PREFIX + name) }
}
`

const names = "package com.acme\nclass Names { static String polite(String name) { name + ', please' } }\n"

const script = [
  'import com.acme.Greeting',
  'def r = new Response(Status.OK)',
  "r.entity.string = new Greeting('you').text()",
  'r',
]

const route = (config: object) => ({
  condition: "${request.uri.path == '/x'}",
  handler: { type: 'ScriptableHandler', config: { type: 'application/x-groovy', ...config } },
})

for (const [how, config] of [
  ['a file', { file: 'answer.groovy' }],
  ['the route', { source: script }],
] as const) {
  test(`a script in ${how} uses the classes that it imports, also after they have changed`, async () => {
    await using gateway = await RunningGateway.start({
      files: {
        'scripts/groovy/answer.groovy': script.join('\n'),
        'scripts/groovy/com/acme/Greeting.groovy': greeting('hello '),
        'scripts/groovy/com/acme/Names.groovy': names,
      },
      routes: { r: route(config) },
    })
    assert.equal((await gateway.ask('/x')).text, 'hello you, please')

    let from = gateway.log.lines.length
    gateway.instance.write('scripts/groovy/com/acme/Greeting.groovy', greeting('good day '))
    await gateway.log.until(/script reloaded/, from)
    assert.equal((await gateway.ask('/x')).text, 'good day you, please')

    from = gateway.log.lines.length
    gateway.instance.write('scripts/groovy/com/acme/Names.groovy', 'package com.acme\nclass Names { nope( }\n')
    const entry = await gateway.log.until(/the changed script can not be used/, from)
    assert.match(String(entry['problem']), /^com\/acme\/Names\.groovy:2:/)
    assert.equal((await gateway.ask('/x')).text, 'good day you, please')
  })
}

test('a missing class, or one outside of the folder by a link, is rejected at load', async () => {
  await using gateway = await RunningGateway.start({ routes: { r: route({ source: script }) } })
  assert.match(gateway.problems('r.json')[0] ?? '', /line 1, column 1: unknown class com\.acme\.Greeting/)
})
