import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { groovyValue } from '#test/groovy-script'

test('files of the instance are read', async () => {
  using folder = new Folder({ 'instance/data/a.txt': 'one\ntwo\n', 'instance/secrets/key': 'hidden' })
  const files = { instance: folder.in('instance'), secrets: folder.in('instance/secrets') }
  const source = `
    def f = new File('data/a.txt')
    [f.text, f.readLines(), f.exists(), f.name, new File('data').isDirectory(), new File('${folder.in('instance')}', 'data/a.txt').bytes.length]`
  assert.deepEqual(await groovyValue(source, { files }), ['one\ntwo\n', ['one', 'two'], true, 'a.txt', true, 8])
  assert.match(String(await groovyValue("new File('none').text", { files })), /FileNotFoundException: none/)
})

test('no path or link gives access to files outside of the instance or to secrets', async () => {
  using folder = new Folder({ 'outside.txt': 'x', 'instance/a.txt': 'a', 'instance/secrets/key': 'hidden' })
  const files = { instance: folder.in('instance'), secrets: folder.in('instance/secrets') }
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
