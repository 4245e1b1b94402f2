import assert from 'node:assert/strict'
import type { Flow } from '../../flows.ts'
import { forwardedRequest, type Peers } from '../peers.ts'
import { USER } from '../set-up.ts'

export const realmFlows: readonly Flow<Peers>[] = [
  {
    name: 'realms: a session of the sub-realm passes where AmService names it',
    async run({ ask, openam }) {
      const session = await openam.admin.session(USER.name, USER.password, '/alpha')
      const { headers } = forwardedRequest(await ask('/alpha/page', session))
      assert.deepEqual([headers['x-user'], headers['x-realm']], [USER.name, '/alpha'], 'user and realm')
    },
  },
  {
    name: 'realms: a session of another realm is not accepted, in either direction; the login page is that of the realm',
    async run({ ask, openam }) {
      const root = await openam.admin.session(USER.name, USER.password)
      const alpha = await openam.admin.session(USER.name, USER.password, '/alpha')
      assert.equal((await ask('/sso/page', alpha)).status, 302, 'sub-realm at the root route')
      const { status, headers } = await ask('/alpha/page', root)
      assert.equal(status, 302, 'root at the route of the sub-realm')
      assert.equal(new URL(headers.location as string).searchParams.get('realm'), '/alpha', 'realm')
    },
  },
  {
    name: 'realms: `sharedRealms` admits a session of the realms it names',
    async run({ ask, openam }) {
      const alpha = await openam.admin.session(USER.name, USER.password, '/alpha')
      const { headers } = forwardedRequest(await ask('/shared/page', alpha))
      assert.deepEqual([headers['x-user'], headers['x-realm']], [USER.name, '/alpha'], 'user and realm')
    },
  },
  {
    name: 'realms: a policy of the sub-realm decides about its sessions alone',
    async run({ ask, openam }) {
      const root = await openam.admin.session(USER.name, USER.password)
      const alpha = await openam.admin.session(USER.name, USER.password, '/alpha')
      assert.equal((await ask('/alpha-policies/page', alpha)).status, 200, 'sub-realm')
      assert.equal((await ask('/alpha-policies/page', root)).status, 403, 'root')
    },
  },
]
