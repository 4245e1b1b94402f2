// Templates of the Studio: each makes a route that a gateway loads as it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningGateway } from '#test/gateway'
import { managing, ROUTES } from '#test/management'
import { TEMPLATES } from '../../studio/src/routes/templates.ts'

/** Secrets that the templates name; their users put them there. */
const SECRETS = ['introspection.password', 'provider.secret', 'agent.password']

test('every template of the Studio is a route without a problem', async () => {
  await using gateway = await RunningGateway.start({
    admin: { mode: 'DEVELOPMENT' },
    files: Object.fromEntries(SECRETS.map((id) => [`secrets/${id}`, 'a secret'])),
  })
  const manage = managing(gateway.adminUrl)
  assert.ok(TEMPLATES.length >= 9, `${TEMPLATES.length} templates`)
  for (const { name, route } of TEMPLATES) {
    const { status, json } = await manage('POST', `${ROUTES}?_action=validate`, { body: route('a.route') })
    assert.deepEqual([status, json['valid'], json['problems'] ?? []], [200, true, []], name)
  }
})
