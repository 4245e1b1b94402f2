import assert from 'node:assert/strict'
import { homedir, tmpdir } from 'node:os'
import { test } from 'node:test'
import { createLogger } from '#logging'
import { manualClock } from '#test/build'
import { instanceDirectories } from './directories.ts'
import { rootProperties } from './tokens.ts'

const logger = createLogger({ level: 'silent' })
const directories = instanceDirectories('/srv/my gateway')

function token(name: string, env: Readonly<Record<string, string | undefined>> = {}, system = {}) {
  return rootProperties({ directories, mode: 'PRODUCTION', env, system, clock: manualClock(), logger }).token(name)
}

test('the gateway provides its folder, its URL and its mode, also under the names of PingGateway', () => {
  for (const prefix of ['gateway', 'ig']) {
    assert.equal(token(`${prefix}.instance.dir`), '/srv/my gateway')
    assert.equal(token(`${prefix}.instance.url`), 'file:///srv/my%20gateway')
    assert.equal(token(`${prefix}.run.mode`), 'PRODUCTION')
  }
})

test('a token is resolved by the environment variable of its name, with underscores for dots and dashes', () => {
  assert.equal(token('my.port', { MY_PORT: '1' }), '1')
  assert.equal(token('my-other.port', { MY_OTHER_PORT: '2' }), '2')
  assert.equal(token('MY_PORT', { MY_PORT: '3' }), '3')
  assert.equal(token('empty', { EMPTY: '' }), '')
})

test('a system property of the same name precedes properties of the gateway, and follows the environment', () => {
  const system = { 'my.port': '1', 'ig.instance.dir': '/other' }
  assert.equal(token('my.port', {}, system), '1')
  assert.equal(token('MY.PORT', {}, system), undefined)
  assert.equal(token('my.port', { MY_PORT: '2' }, system), '2')
  assert.equal(token('ig.instance.dir', {}, system), '/other')
})

test('system has the folder of the instance under the names of OpenIG and IG, unless they are given', () => {
  const system = (given = {}) =>
    rootProperties({
      directories,
      mode: 'PRODUCTION',
      env: {},
      system: given,
      platform: {},
      clock: manualClock(),
      logger,
    }).scope.lookup('system')
  assert.deepEqual(system(), { 'openig.base': '/srv/my gateway', 'ig.instance.dir': '/srv/my gateway' })
  assert.deepEqual(system({ 'openig.base': '/other' }), {
    'openig.base': '/other',
    'ig.instance.dir': '/srv/my gateway',
  })
})

test('an environment variable overrides properties of the gateway', () => {
  assert.equal(token('gateway.instance.dir', { GATEWAY_INSTANCE_DIR: '/other' }), '/other')
})

test('an unknown token is undefined, also for names of Object.prototype', () => {
  for (const name of [
    'nothing',
    'gateway.nothing',
    'gateway.constructor',
    'gateway.__proto__',
    'ig.toString',
    '__proto__',
    'constructor',
  ]) {
    assert.equal(token(name), undefined, name)
  }
})

test('expressions read the folders of the gateway and the environment', () => {
  const { scope } = rootProperties({
    directories,
    mode: 'PRODUCTION',
    env: { HOME: '/home/me' },
    clock: manualClock(),
    logger,
  })
  const gateway = scope.lookup('gateway') as { instanceDirectory?: string }
  assert.equal(gateway.instanceDirectory, '/srv/my gateway')
  assert.notEqual(scope.lookup('env'), undefined)
})

test('system and tokens have the properties of the platform that every JVM has, below those that are given', () => {
  const properties = (system = {}) =>
    rootProperties({ directories, mode: 'PRODUCTION', env: {}, system, clock: manualClock(), logger })
  const home = (system = {}) => (properties(system).scope.lookup('system') as Record<string, string>)['user.home']
  assert.equal(home(), homedir())
  assert.equal(home({ 'user.home': '/srv' }), '/srv')
  assert.equal(properties().token('java.io.tmpdir'), tmpdir())
  assert.equal(properties({ 'java.io.tmpdir': '/t' }).token('java.io.tmpdir'), '/t')
  for (const name of ['user.name', 'user.dir', 'os.name', 'os.arch', 'file.separator', 'line.separator'])
    assert.equal(typeof properties().token(name), 'string', name)
})
