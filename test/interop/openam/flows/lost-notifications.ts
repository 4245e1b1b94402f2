import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Flow } from '../../flows.ts'
import type { Peers } from '../peers.ts'
import { USER } from '../set-up.ts'

const SESSIONS = 25
/** Lifetime of a cached session without validation, plus a margin for slow machines. */
const BOUND = 30_000 + 5_000

export const lostNotificationFlows: readonly Flow<Peers>[] = [
  {
    name: `caches: ${SESSIONS} log-outs in a row, of which OpenAM notifies some; none is used after 30 s`,
    async run({ ask, openam }) {
      const sessions: string[] = []
      for (let at = 0; at < SESSIONS; at += 1) {
        const session = await openam.admin.session(USER.name, USER.password)
        assert.equal((await ask('/sso/page', session)).status, 200, 'status before the log-out')
        await openam.admin.logOut(session)
        sessions.push(session)
      }
      const last = Date.now()
      await pause(1_500)
      // One request for each, so that cached sessions are validated.
      const early = await Promise.all(sessions.map(async (session) => (await ask('/sso/page', session)).status))
      const kept = early.filter((status) => status === 200).length
      await pause(Math.max(0, last + BOUND - Date.now()))
      const late = await Promise.all(sessions.map(async (session) => (await ask('/sso/page', session)).status))
      assert.equal(late.filter((status) => status !== 302).length, 0, 'sessions in use after 30 s')
      return `${SESSIONS - kept} of ${SESSIONS} log-outs had their notification within 1.5 s; the others ended by time`
    },
  },
]
