import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { Folder } from '#test/folder'

test('the schema of route files, and of one type, is printed', async () => {
  using folder = new Folder()
  const route = JSON.parse((await gateway(['schema', '--instance', folder.path])).stdout) as Record<string, unknown>
  assert.equal(route['title'], 'Route')
  const chain = JSON.parse((await gateway(['schema', 'Chain', '--instance', folder.path])).stdout) as Record<
    string,
    unknown
  >
  assert.equal(chain['title'], 'Chain')
})

test('the schema of each kind of file is printed', async () => {
  using folder = new Folder()
  for (const [name, title] of [
    ['admin', 'admin.json'],
    ['config', 'config.json'],
    ['route', 'Route'],
  ] as const) {
    const { stdout } = await gateway(['schema', name, '--instance', folder.path])
    assert.equal((JSON.parse(stdout) as Record<string, unknown>)['title'], title)
    assert.equal((await gateway(['schema', `${name}.json`, '--instance', folder.path])).stdout, stdout)
  }
})

test('an unknown type is a usage error with a suggestion', async () => {
  using folder = new Folder()
  const { code, stderr } = await gateway(['schema', 'HaederFilter', '--instance', folder.path])
  assert.equal(code, 64)
  assert.match(stderr, /unknown type "HaederFilter"; did you mean "HeaderFilter"\?/)
})

test('types of the extra folder are listed', async () => {
  using folder = new Folder({
    'extra/greeting.ts': `
      export const types = ({ defineType, FilterKind, string }) => [
        defineType({
          name: 'GreetingFilter',
          kind: FilterKind,
          summary: 'Greets.',
          config: { word: string().meta({ description: 'The word.' }) },
          create: () => (exchange, next) => next(exchange),
        }),
      ]`,
  })
  const { stdout } = await gateway(['schema', '--list', '--json', '--instance', folder.path])
  const list = JSON.parse(stdout) as { name: string }[]
  assert.ok(list.some(({ name }) => name === 'GreetingFilter'))
  assert.ok(list.some(({ name }) => name === 'Router'))
})

test('a type of the extra folder with the name of another type is an error with its file, in every command', async () => {
  using folder = new Folder({
    'extra/mine.js': `export const types = ({ defineType, FilterKind }) => [
      defineType({ name: 'Chain', kind: FilterKind, summary: '', config: {}, create: () => (exchange, next) => next(exchange) })]`,
    'config/routes/a.json': '{ "handler": { "type": "StaticResponseHandler", "config": { "status": 200 } } }',
  })
  for (const words of [
    ['schema', '--list'],
    ['validate'],
    ['routes', '--folder'],
    ['explain', 'GET /'],
    ['run'],
    ['migrate'],
  ]) {
    const { code, stdout, stderr } = await gateway([...words, '--instance', folder.path])
    const message = `${folder.in('extra/mine.js')}: the object type Chain has the same name as a type of the gateway; choose another name\n`
    assert.equal(code, 78, words.join())
    assert.ok(`${stdout}${stderr}`.includes(message), `${words[0]}: ${stdout}${stderr}`)
  }
})
