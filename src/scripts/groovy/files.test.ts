import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { groovyValue } from '#test/groovy-script'

const filesOf = (folder: Folder, readable = ['data']) => ({
  instance: folder.in('instance'),
  config: folder.in('instance/config'),
  secrets: folder.in('instance/secrets'),
  readable,
})

test('files of the instance are read', async () => {
  using folder = new Folder({ 'instance/data/a.txt': 'one\ntwo\n', 'instance/secrets/key': 'hidden' })
  const files = filesOf(folder)
  const source = `
    def f = new File('data/a.txt')
    [f.text, f.readLines(), f.exists(), f.name, new File('data').isDirectory(), new File('${folder.in('instance')}', 'data/a.txt').bytes.length]`
  assert.deepEqual(await groovyValue(source, { files }), ['one\ntwo\n', ['one', 'two'], true, 'a.txt', true, 8])
  assert.match(String(await groovyValue("new File('none').text", { files })), /FileNotFoundException: none/)
})

test('no path or link gives access to files outside of the instance or to secrets', async () => {
  using folder = new Folder({ 'outside.txt': 'x', 'instance/a.txt': 'a', 'instance/secrets/key': 'hidden' })
  const files = filesOf(folder, ['.'])
  symlinkSync(folder.in('outside.txt'), folder.in('instance/link.txt'))
  symlinkSync(folder.in('instance/secrets'), folder.in('instance/open'))
  for (const path of [
    '../outside.txt',
    '/etc/passwd',
    'link.txt',
    'secrets/key',
    'open/key',
    folder.in('outside.txt'),
    'a\\0.txt',
  ]) {
    const found = await groovyValue(`def f = new File("${path}"); [f.exists(), f.isFile()]`, { files })
    assert.deepEqual(found, [false, false], path)
    assert.match(String(await groovyValue(`new File("${path}").text`, { files })), /FileNotFoundException/, path)
  }
  assert.match(String(await groovyValue("new File('a.txt').text")), /FileNotFoundException/)
})

test('files can not be written or deleted', async () => {
  for (const source of [
    "new File('a').delete()",
    "new File('a').text = 'x'",
    "new File('a') << 'x'",
    "new File('a').write('x')",
    "new File('a').mkdirs()",
  ]) {
    assert.match(String(await groovyValue(source)), /ScriptSyntaxError|ScriptError/, source)
  }
})

test('files that are not listed are hidden, whatever keystore, key or password they have', async () => {
  using folder = new Folder({
    'instance/data/a.txt': 'a',
    'instance/data.txt': 'x',
    'instance/keys/jwt.key': 'hidden',
    'instance/config/admin.json': '{}',
    'instance/config/config.json': '{}',
    'instance/config/routes/a.json': '{}',
    'instance/config/users.csv': 'ada',
    'instance/secrets/key': 'hidden',
  })
  const files = filesOf(folder)
  symlinkSync(folder.in('instance/keys/jwt.key'), folder.in('instance/data/link'))
  symlinkSync(folder.in('instance/keys'), folder.in('instance/data/folder'))
  const textsOf = (listed: readonly string[], paths: readonly string[]) =>
    Promise.all(
      paths.map(async (path) => {
        const text = String(await groovyValue(`new File("${path}").text`, { files: { ...files, readable: listed } }))
        return text.includes('FileNotFoundException') ? null : text
      }),
    )
  const hidden = [
    'keys/jwt.key',
    'data/../keys/jwt.key',
    'data/link',
    'data/folder/jwt.key',
    'data.txt',
    'config/admin.json',
    'config/users.csv',
  ]
  assert.deepEqual(
    await textsOf(['data'], hidden),
    hidden.map(() => null),
  )
  assert.deepEqual(await textsOf(['data', 'config/users.csv', 'none'], ['data/a.txt', 'config/users.csv']), [
    'a',
    'ada',
  ])
  const never = ['config/admin.json', 'config/config.json', 'config/routes/a.json', 'secrets/key']
  assert.deepEqual(
    await textsOf(['.', 'secrets', 'config'], never),
    never.map(() => null),
  )
  assert.match(
    String(await groovyValue('new File("keys/jwt.key").text', { files })),
    /keys\/jwt\.key \(no such file among those that scripts can read: data; list others in scriptFiles of admin\.json\)/,
  )
})
