// The guide to editors: its commands print schemas, and the files that its settings match are those of an instance.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readDocument } from '#json'
import { Folder } from '#test/folder'
import { guideBlocks } from '#test/guide'

const LAUNCHER = join(import.meta.dirname, '..', 'bin', 'gateway')

test('the commands print the schemas that the settings of the editor refer to', () => {
  using folder = new Folder()
  const commands = ['gateway init my-gateway', ...guideBlocks('editors', 'sh')].join('\n')
  const script = `set -e\ngateway() { '${LAUNCHER}' "$@"; }\n${commands}`
  execFileSync('/bin/sh', ['-c', script], { cwd: folder.path, stdio: 'pipe' })
  const settings = JSON.parse(guideBlocks('editors', 'json')[0]!) as {
    'json.schemas': { fileMatch: string[]; url: string }[]
  }
  const matched = settings['json.schemas'].flatMap(({ fileMatch, url }) => {
    const schema = folder.in(join('my-gateway', url))
    assert.ok(existsSync(schema), url)
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      JSON.parse(folder.read(join('my-gateway', url))) as object,
    )
    return globSync(
      fileMatch.map((pattern) => pattern.slice(1)),
      { cwd: folder.in('my-gateway') },
    ).map((path) => {
      assert.ok(validate(readDocument(folder.read(join('my-gateway', path))).value), path)
      return path
    })
  })
  assert.deepEqual(matched.toSorted(), ['config/admin.json', 'config/routes/hello.json'])
})
