// Routes that are refused because of another file, which is corrected later.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'

const SCRIPT = "def r = new Response(Status.OK)\nr.entity.string = 'answer'\nr\n"

const scriptRoute = (file: string) => ({
  condition: `\${request.uri.path == '/${file}'}`,
  handler: { type: 'ScriptableHandler', config: { type: 'application/x-groovy', file } },
})

const staticRoute = (path: string, more: object, entity: string) => ({
  condition: `\${request.uri.path == '${path}'}`,
  ...more,
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
})

const located = staticRoute(
  '/located',
  { properties: { p: { $location: '${fileToUrl(openig.configDirectory)}/properties.json' } } },
  '${p.x}',
)

const classRoute = {
  condition: "${request.uri.path == '/class'}",
  handler: {
    type: 'ScriptableHandler',
    config: {
      type: 'application/x-groovy',
      source: ['import com.acme.Text', 'def r = new Response(Status.OK)', 'r.entity.string = Text.TEXT', 'r'],
    },
  },
}

/** Of files that are missing or wrong. */
const REFUSED = {
  late: scriptRoute('late.groovy'),
  broken: scriptRoute('broken.groovy'),
  located,
  class: classRoute,
}

const PATHS = ['/late.groovy', '/broken.groovy', '/located', '/class']

const CORRECTED = {
  'scripts/groovy/late.groovy': SCRIPT,
  'scripts/groovy/broken.groovy': SCRIPT,
  'config/properties.json': '{"x": "answer"}',
  'scripts/groovy/com/acme/Text.groovy': "package com.acme\nclass Text { static final String TEXT = 'answer' }\n",
}

for (const when of ['at the start', 'by a scan'] as const) {
  test(`routes that were refused ${when} because of other files are served after the first scan with corrected files`, async () => {
    await using gateway = await RunningGateway.start({
      units: 2,
      files: { 'scripts/groovy/broken.groovy': 'def r = (' },
      routes: when === 'at the start' ? REFUSED : {},
    })
    if (when === 'by a scan') {
      for (const [name, route] of Object.entries(REFUSED)) gateway.instance.writeRoute(name, route)
      await gateway.scan()
    }
    const answers = () => Promise.all(PATHS.map(async (path) => (await gateway.ask(path)).status))
    assert.deepEqual(await answers(), [404, 404, 404, 404])

    const from = gateway.log.lines.length
    await gateway.scan()
    await gateway.scan()
    assert.deepEqual(await answers(), [404, 404, 404, 404])
    assert.deepEqual(gateway.log.lines.slice(from), [])

    for (const [file, text] of Object.entries(CORRECTED)) gateway.instance.write(file, text)
    await gateway.scan()
    assert.deepEqual(await answers(), [200, 200, 200, 200])
    for (const path of PATHS) assert.equal((await gateway.ask(path)).text, 'answer')
    assert.deepEqual(
      Object.keys(REFUSED).flatMap((name) => gateway.problems(`${name}.json`)),
      [],
    )
  })
}

test('a file that is replaced by another wrong one is reported once, with the new problem', async () => {
  await using gateway = await RunningGateway.start({ routes: { late: scriptRoute('late.groovy') } })
  assert.match(gateway.problems('late.json').join(), /there is no file "late.groovy"/)
  const from = gateway.log.lines.length
  gateway.instance.write('scripts/groovy/late.groovy', 'def r = (')
  await gateway.scan()
  await gateway.scan()
  assert.match(gateway.problems('late.json').join(), /late\.groovy:1/)
  assert.equal(gateway.log.lines.slice(from).length, 1)
})

test('the health of the gateway names the files that are not served as they are written, and stays ready', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  await using gateway = await RunningGateway.start({
    routes: Object.fromEntries(names.map((name) => [name, staticRoute(`/${name}`, {}, name)])),
  })
  const checks = async () => {
    const { status, text } = await gateway.askAdmin('/health/ready?verbose')
    assert.equal(status, 200)
    const { checks: all } = JSON.parse(text) as { checks: { name: string; state?: string; detail?: string }[] }
    return all
      .filter(({ name }) => name.startsWith('routes.'))
      .map(({ name, state, detail }) => ({ name, state, detail }))
  }
  const degraded = (files: string) => ({
    name: 'routes._router',
    state: 'degraded',
    detail: `not served as written: ${files}`,
  })
  assert.deepEqual(await checks(), [])
  gateway.instance.write('config/routes/a.json', '{ "handler": ')
  await gateway.scan()
  assert.equal((await gateway.ask('/a')).text, 'a')
  assert.deepEqual(await checks(), [degraded('a.json')])
  for (const name of names) gateway.instance.write(`config/routes/${name}.json`, '{}')
  await gateway.scan()
  assert.deepEqual(await checks(), [degraded('a.json, b.json, c.json, d.json, e.json and 2 others')])
  for (const name of names) gateway.instance.writeRoute(name, staticRoute(`/${name}`, {}, name))
  await gateway.scan()
  assert.deepEqual(await checks(), [])
})
