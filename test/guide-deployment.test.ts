// The guide to deployment: its commands of the gateway are valid, and its files exist.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gateway } from '#test/command-line'
import { guideBlocks } from '#test/guide'

const ROOT = join(import.meta.dirname, '..')
const GUIDE = readFileSync(join(ROOT, 'docs/guide/deployment.md'), 'utf8')
const { files, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  files: string[]
  version: string
}

test('commands of the gateway have known names and options', async () => {
  const inBlocks = guideBlocks('deployment', 'sh').flatMap((block) => block.split('\n'))
  const inText = [...GUIDE.matchAll(/`(gateway [^`]+)`/g)].map(([, command]) => command as string)
  const commands = [...inBlocks, ...inText].filter((line) => line.startsWith('gateway '))
  assert.ok(commands.length >= 5)
  for (const command of commands) {
    const { code, stderr } = await gateway([...command.split(' ').slice(1), '--help'])
    assert.equal(code, 0, `${command}: ${stderr}`)
  }
})

test('files that the guide names exist, and those of deploy/ are in the package', () => {
  const paths = new Set([...GUIDE.matchAll(/\bdeploy\/[\w./-]*\w/g)].map(([path]) => path))
  assert.ok(paths.size >= 5)
  for (const path of paths) assert.ok(existsSync(join(ROOT, path)), path)
  assert.ok(files.includes('deploy'))
})

test('the guide names the current version', () => {
  const named = [...GUIDE.matchAll(/identity-gateway[:-](\d+\.\d+\.\d+)/g)].map(([, found]) => found)
  assert.deepEqual([...new Set(named)], [version])
})
