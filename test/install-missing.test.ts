import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Folder } from '#test/folder'

const SCRIPT = fileURLToPath(new URL('../scripts/install-missing.mjs', import.meta.url))

test('packages behind a symbolic link are not installed: npm ci would empty the folder of another checkout', () => {
  using folder = new Folder({
    'other/node_modules/.package-lock.json': '{}',
    'checkout/package-lock.json': '{}',
    'bin/npm': '#!/bin/sh\ntouch npm-was-run\n',
  })
  chmodSync(folder.in('bin/npm'), 0o755)
  cpSync(SCRIPT, folder.in('checkout/scripts/install-missing.mjs'))
  symlinkSync(folder.in('other/node_modules'), folder.in('checkout/node_modules'))
  const env = { ...process.env, PATH: `${folder.in('bin')}:${process.env['PATH']}`, npm_execpath: '' }
  const { status, stderr } = spawnSync(process.execPath, [folder.in('checkout/scripts/install-missing.mjs')], { env })
  assert.equal(status, 1)
  assert.equal(existsSync(folder.in('checkout/npm-was-run')), false)
  const text = stderr.toString()
  assert.ok(text.startsWith(`node_modules is a symbolic link to ${folder.in('other/node_modules')}, `), text)
  assert.match(text, /Run npm ci in the checkout that it belongs to, or remove the link .*: rm node_modules\n$/)
})
