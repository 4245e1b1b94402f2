import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Flow } from '../../flows.ts'
import type { Peers } from '../peers.ts'
import { USER } from '../set-up.ts'

const NO_NOTIFICATIONS = /openam-old.*no notifications|openam-old.*\/notifications/

export const operationFlows: readonly Flow<Peers>[] = [
  {
    name: 'log: at debug each decision with resource, method, realm, policy set, actions, from the cache or not',
    async run({ gateway, ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      const from = gateway.log.lines.length
      for (let at = 0; at < 2; at += 1) await ask('/policies/plain/logged', session)
      const line = await gateway.log.until(/"level":"debug".*policies\/plain\/logged.*interop/, from)
      const lines = gateway.log.lines.slice(from).filter((text) => /policies\/plain\/logged.*interop/.test(text))
      assert.equal(lines.length, 2, 'decisions logged')
      for (const word of ['GET', 'actions', 'realm']) assert.equal(lines[0]?.includes(word), true, `"${word}"`)
      assert.equal(
        gateway.log.lines.some((text) => text.includes(session)),
        false,
        'the session token in the log',
      )
      return JSON.stringify(line)
    },
  },
  {
    name: 'operations: a server without /notifications is named once in the log and in health; sessions pass',
    async run({ gateway, ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      assert.equal((await ask('/old/page', session)).status, 200, 'status')
      assert.equal((await ask('/old/page', session)).status, 200, 'status, from the cache')
      const lines = gateway.log.with(NO_NOTIFICATIONS)
      assert.equal(lines.length, 1, 'log lines')
      const health = JSON.parse((await gateway.askAdmin('/health/ready?verbose')).text) as Record<string, unknown>
      assert.match(JSON.stringify(health), /openam-old[^}]*degraded/, 'health')
      return String(lines[0]?.['message'])
    },
  },
]

export const auditFlows: readonly Flow<Peers>[] = [
  {
    name: "operations: OpenAM's audit log has the transaction ids of the gateway",
    async run({ gateway, openam }) {
      const decisions = gateway.log.with(/"cached":false.*"message":"policy decision"/)
      const ids = decisions.map(({ transactionId }) => String(transactionId))
      // OpenAM writes it in blocks; its stop has written all of it.
      const audit = readFileSync(join(openam.directory, 'data', 'openam', 'log', 'access.csv'), 'utf8')
      const found = ids.filter((id) => audit.includes(id)).length
      assert.ok(found > 0, `none of ${ids.length} transaction ids is in the audit log`)
      return `${found} of ${ids.length} decisions`
    },
  },
]
