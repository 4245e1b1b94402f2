import assert from 'node:assert/strict'
import type { Flow } from '../../flows.ts'
import type { Peers } from '../peers.ts'
import { policy } from '../policies.ts'
import { USER } from '../set-up.ts'
import { untilStatus } from '../waiting.ts'

export const policyFlows: readonly Flow<Peers>[] = [
  {
    name: 'policies: method, subject and address decide',
    async run({ ask, openam }) {
      const demo = await openam.admin.session(USER.name, USER.password)
      const other = await openam.admin.session('other', USER.password)
      const statuses = {
        read: (await ask('/policies/plain/page', demo)).status,
        write: (await ask('/policies/plain/page', demo, { method: 'POST' })).status,
        'no policy': (await ask('/policies/none/page', demo)).status,
        'named subject': (await ask('/policies/readers/page', demo)).status,
        'another subject': (await ask('/policies/readers/page', other)).status,
        'from an address that is admitted': (await ask('/policies/near/page', demo)).status,
        'from another address': (await ask('/policies/far/page', demo)).status,
      }
      assert.deepEqual(
        statuses,
        {
          read: 200,
          write: 403,
          'no policy': 403,
          'named subject': 200,
          'another subject': 403,
          'from an address that is admitted': 200,
          'from another address': 403,
        },
        'statuses',
      )
    },
  },
  {
    name: 'policies: `*` does not match `?`; paths are compared without regard to case',
    async run({ ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      const statuses = await Promise.all(
        ['plain/page?x=1', 'query/page?x=1', 'query/page?x=a?b', 'query/page?x=a%3Fb', 'plain/PAGE', 'PLAIN/page'].map(
          async (path) => [path, (await ask(`/policies/${path}`, session)).status],
        ),
      )
      assert.deepEqual(
        Object.fromEntries(statuses),
        {
          'plain/page?x=1': 403,
          'query/page?x=1': 200,
          'query/page?x=a?b': 403,
          'query/page?x=a%3Fb': 200,
          'plain/PAGE': 200,
          'PLAIN/page': 200,
        },
        'statuses',
      )
    },
  },
  {
    name: 'policies: about the URI that is sent to the application, or with `useOriginalUri` about the one of the browser',
    async run({ ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      assert.equal((await ask('/rewritten/page', session)).status, 200, 'the policy names the application')
      assert.equal((await ask('/policies/plain/page', session)).status, 200, 'the policy names the gateway')
    },
  },
  {
    name: 'policies: a change counts at once, by its notification',
    async run({ ask, at, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      assert.equal((await ask('/policies/new/page', session)).status, 403, 'status before')
      const { result } = (await openam.admin.call('GET', '/', 'resourcetypes?_queryFilter=true')) as {
        result: { uuid: string; name: string }[]
      }
      const resourceTypeUuid = result.find(({ name }) => name === 'URL')?.uuid
      const added = { ...policy('new', [`${at.app}/policies/new/*`]), resourceTypeUuid }
      await openam.admin.call('POST', '/', 'policies?_action=create', added, 'resource=2.1')
      const gained = await untilStatus(200, () => ask('/policies/new/page', session))
      await openam.admin.call('DELETE', '/', 'policies/new', undefined, 'resource=2.1')
      const lost = await untilStatus(403, () => ask('/policies/new/page', session))
      return `seen ${gained} ms after it was made, ${lost} ms after it was removed`
    },
  },
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
]
