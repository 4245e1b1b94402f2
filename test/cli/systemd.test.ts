// The gateway as a service of systemd: notifications, watchdog and the unit file of deploy/systemd.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { GatewayProcess } from '#test/gateway-process'
import { NotifySocket, notifyMissing } from '#test/notify-socket'

const UNIT = join(import.meta.dirname, '..', '..', 'deploy', 'systemd', 'identity-gateway.service')

test('systemd is notified of ready, reload, watchdog and stop, in this order', { skip: notifyMissing }, async () => {
  using folder = new Folder()
  await using socket = await NotifySocket.open(folder.in('notify'))
  await using gateway = await GatewayProcess.start({
    env: { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '1000000' },
  })
  const ready = await socket.until(
    /^READY=1 STATUS=serving http:\/\/127\.0\.0\.1:\d+; management http:\/\/127\.0\.0\.1:\d+$/,
  )
  const beat = await socket.until(/^WATCHDOG=1$/, ready)
  await socket.until(/^WATCHDOG=1$/, beat + 1)
  gateway.kill('SIGHUP')
  const reloading = await socket.until(/^RELOADING=1 MONOTONIC_USEC=\d+ STATUS=reloading/, ready)
  await socket.until(/^READY=1 /, reloading)
  gateway.kill('SIGTERM')
  await socket.until(/^STOPPING=1 STATUS=draining/, reloading)
  assert.deepEqual(await gateway.exit, { code: 0, signal: null })
})

test('a gateway whose service manager can not be notified serves, and logs it', async () => {
  using folder = new Folder()
  await using gateway = await GatewayProcess.start({ env: { NOTIFY_SOCKET: folder.in('missing') } })
  await gateway.log.until(/GW_PROCESS_SYSTEMD_NOT_NOTIFIED/)
  assert.equal((await gateway.askAdmin('/health/ready')).status, 200)
  gateway.kill('SIGTERM')
  assert.deepEqual(await gateway.exit, { code: 0, signal: null })
})

const analyzer = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0
const analyzerMissing = analyzer ? false : 'NOTICE: needs systemd-analyze; to have it: apt-get install systemd'

/** The unit with a command that exists here. */
function unitIn(folder: Folder): string {
  const text = readFileSync(UNIT, 'utf8')
  folder.write('identity-gateway.service', text.replace('/usr/local/bin/gateway', '/bin/true'))
  return folder.in('identity-gateway.service')
}

test('the unit passes systemd-analyze verify', { skip: analyzerMissing }, () => {
  using folder = new Folder()
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', unitIn(folder)], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
})

test('the exposure of the unit is below 2.5 of 10', { skip: analyzerMissing }, () => {
  using folder = new Folder()
  const words = ['security', '--offline=true', '--threshold=25', '--no-pager', unitIn(folder)]
  const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
  // Offline analysis came with systemd 250.
  if (/unrecognized option/.test(stderr)) return
  assert.equal(status, 0, stdout + stderr)
})
