import assert from 'node:assert/strict'
import type { Flow } from '../../flows.ts'
import type { Peers } from '../peers.ts'
import { policy } from '../policies.ts'
import { POLICY_SET, USER } from '../set-up.ts'
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
    name: 'policies: `-*-` matches one level of a path; a pattern without a port is for the default port',
    async run({ ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      const paths = ['one/page', 'one/page/more'].map(async (path) => (await ask(`/policies/${path}`, session)).status)
      assert.deepEqual(await Promise.all(paths), [200, 403], 'statuses of one level and of two')
      const resources = [
        'https://www.example.test:443/page',
        'https://www.example.test/page',
        'https://www.example.test:8443/page',
      ]
      const evaluation = { application: POLICY_SET, resources, subject: { ssoToken: session } }
      const path = 'policies?_action=evaluate'
      const answer = await openam.admin.call('POST', '/', path, evaluation, 'protocol=1.0,resource=2.0')
      const decisions = answer as { resource: string; actions: object }[]
      const actions = resources.map((each) => decisions.find(({ resource }) => resource === each)?.actions)
      assert.deepEqual(actions, [{ GET: true }, { GET: true }, {}], 'actions with and without a port')
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
    name: 'policies: a change applies with its notification, or after 30 s if it is lost',
    async run({ ask, at, openam }) {
      const session = await openam.admin.session(USER.name, USER.password)
      assert.equal((await ask('/policies/new/page', session)).status, 403, 'status before')
      const { result } = (await openam.admin.call('GET', '/', 'resourcetypes?_queryFilter=true')) as {
        result: { uuid: string; name: string }[]
      }
      const resourceTypeUuid = result.find(({ name }) => name === 'URL')?.uuid
      const added = { ...policy('new', [`${at.app}/policies/new/*`]), resourceTypeUuid }
      await openam.admin.call('POST', '/', 'policies?_action=create', added, 'protocol=2.0,resource=2.1')
      const gained = await untilStatus(200, () => ask('/policies/new/page', session))
      await openam.admin.call('DELETE', '/', 'policies/new', undefined, 'protocol=2.0,resource=2.1')
      const lost = await untilStatus(403, () => ask('/policies/new/page', session))
      return `seen ${gained} ms after it was made, ${lost} ms after it was removed`
    },
  },
]
