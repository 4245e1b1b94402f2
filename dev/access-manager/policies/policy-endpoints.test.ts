import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentToken, type ManagerResponse, sendRequest } from '#test/access-manager-requests'
import { manualClock } from '#test/build'
import { DevelopmentAccessManager } from '../development-access-manager.ts'
import type { AccessManagerSettings } from '../settings.ts'
import type { Policy } from './policy.ts'

const PAGE = 'https://app.example.com:8444/home?x=1'
const PAGES: Policy = {
  name: 'pages',
  resources: ['*://*:*/home', '*://*:*/home?*'],
  actionValues: { GET: true, POST: false },
  subject: { type: 'AuthenticatedUsers' },
}

async function started(settings: AccessManagerSettings = {}, ...policies: Policy[]): Promise<DevelopmentAccessManager> {
  const manager = await DevelopmentAccessManager.start(settings)
  for (const policy of policies) manager.putPolicy(policy)
  return manager
}

async function call(
  manager: DevelopmentAccessManager,
  method: string,
  path: string,
  token: string,
  body?: object,
): Promise<ManagerResponse> {
  return sendRequest(manager, method, `/json/realms/root/${path}`, {
    headers: {
      iPlanetDirectoryPro: token,
      'Content-Type': 'application/json',
      'Accept-API-Version': 'protocol=1.0,resource=2.1',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function evaluate(manager: DevelopmentAccessManager, body: object): Promise<ManagerResponse> {
  return call(manager, 'POST', 'policies?_action=evaluate', await agentToken(manager), { resources: [PAGE], ...body })
}

async function decision(manager: DevelopmentAccessManager, body: object): Promise<Record<string, unknown>> {
  return (JSON.parse((await evaluate(manager, body)).text) as Record<string, unknown>[])[0]!
}

test('a matching policy returns its actions, with the largest number as ttl', async () => {
  await using manager = await started(
    { users: [{ name: 'demo', password: 'x', attributes: { mail: ['demo@example.com'] } }] },
    {
      ...PAGES,
      resourceAttributes: [
        { type: 'Static', propertyName: 'team', propertyValues: ['a', 'b'] },
        { type: 'User', propertyName: 'mail' },
      ],
    },
  )
  const answer = await evaluate(manager, { subject: { ssoToken: manager.login('demo') } })
  assert.equal(
    answer.text,
    `[{"resource":"${PAGE}","actions":{"GET":true,"POST":false},` +
      '"attributes":{"team":["a","b"],"mail":["demo@example.com"]},"advices":{},"ttl":9223372036854775807}]',
  )
})

test('no action is allowed without a policy, for another resource, without a subject, or by an inactive policy', async () => {
  await using manager = await started({}, PAGES, { ...PAGES, name: 'off', active: false, resources: ['*'] })
  const subject = { ssoToken: manager.login('demo') }
  const actions = async (body: object): Promise<unknown> => (await decision(manager, body))['actions']
  assert.deepEqual(await actions({ subject, resources: ['https://app.example.com/other'] }), {})
  assert.deepEqual(await actions({ subject: { ssoToken: 'unknown' } }), {})
  assert.deepEqual(await actions({ subject: { claims: { sub: 'demo' } } }), {})
  assert.deepEqual(await actions({ subject }), { GET: true, POST: false })
})

test('a policy that denies an action takes precedence over those that allow it', async () => {
  await using manager = await started({}, PAGES, { ...PAGES, name: 'no', actionValues: { GET: false } })
  const { actions } = await decision(manager, { subject: { ssoToken: manager.login('demo') } })
  assert.deepEqual(actions, { GET: false, POST: false })
})

test('subjects: an identity, a claim, and combinations', async () => {
  const id = 'id=demo,ou=user,dc=openam,dc=example'
  await using manager = await started(
    {},
    {
      ...PAGES,
      subject: {
        type: 'OR',
        subjects: [
          { type: 'Identity', subjectValues: [id] },
          {
            type: 'AND',
            subjects: [
              { type: 'JwtClaim', claimName: 'iss', claimValue: 'us' },
              { type: 'NOT', subject: { type: 'JwtClaim', claimName: 'sub', claimValue: 'evil' } },
            ],
          },
        ],
      },
    },
  )
  const grants = async (subject: object): Promise<boolean> =>
    ((await decision(manager, { subject }))['actions'] as { GET?: boolean }).GET === true
  const jwt = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
  assert.equal(await grants({ ssoToken: manager.login('demo') }), true)
  assert.equal(await grants({ ssoToken: manager.login('amadmin') }), false)
  assert.equal(await grants({ claims: { sub: 'ann', iss: 'us' } }), true)
  assert.equal(await grants({ jwt: jwt({ sub: 'ann', iss: 'us' }) }), true)
  assert.equal(await grants({ jwt: jwt({ sub: 'evil', iss: 'us' }) }), false)
})

for (const [condition, advices] of [
  [{ type: 'AuthLevel', authLevel: 3 }, { AuthLevelConditionAdvice: ['3'] }],
  [
    { type: 'AuthenticateToService', authenticateToService: 'StepUp' },
    { AuthenticateToServiceConditionAdvice: ['/:StepUp'] },
  ],
  [{ type: 'AuthenticateToRealm', authenticateToRealm: '/alpha' }, { AuthenticateToRealmConditionAdvice: ['/alpha'] }],
  [{ type: 'AuthScheme', authScheme: ['DataStore'] }, { AuthSchemeConditionAdvice: ['DataStore'] }],
  [{ type: 'IPv4', startIp: '10.0.0.1', endIp: '10.0.0.9' }, {}],
  [{ type: 'OAuth2Scope', requiredScopes: ['mail'] }, {}],
] as const) {
  test(`${condition.type}: an unmet condition returns no action, and its advice`, async () => {
    await using manager = await started({}, { ...PAGES, condition })
    const answer = await decision(manager, { subject: { ssoToken: manager.login('demo') } })
    assert.deepEqual(answer['actions'], {})
    assert.deepEqual(answer['advices'], advices)
  })
}

test('conditions on the environment are met by its values', async () => {
  await using manager = await started(
    {},
    {
      ...PAGES,
      condition: {
        type: 'AND',
        conditions: [
          { type: 'IPv4', startIp: '10.0.0.1', endIp: '10.0.0.9' },
          { type: 'NOT', condition: { type: 'OAuth2Scope', requiredScopes: ['mail'] } },
        ],
      },
    },
  )
  const subject = { ssoToken: manager.login('demo') }
  const { actions } = await decision(manager, { subject, environment: { requestIp: ['10.0.0.5'] } })
  assert.deepEqual(actions, { GET: true, POST: false })
  assert.equal((await evaluate(manager, { subject, environment: { requestIp: '10.0.0.5' } })).status, 400)
})

test('times: the decision is valid until the window ends or begins', async () => {
  const clock = manualClock(Date.parse('2026-11-16T12:00:00Z'))
  await using manager = await started(
    { clock },
    {
      ...PAGES,
      condition: { type: 'SimpleTime', startTime: '08:00', endTime: '18:00', startDay: 'mon', endDay: 'fri' },
    },
  )
  const decide = (): Promise<Record<string, unknown>> =>
    decision(manager, { subject: { ssoToken: manager.login('demo') } })
  const noon = await decide()
  assert.deepEqual([noon['actions'], noon['ttl']], [PAGES.actionValues, Date.parse('2026-11-16T18:00:00Z')])
  manager.advance(7 * 3_600_000)
  const evening = await decide()
  assert.deepEqual([evening['actions'], evening['ttl']], [{}, Date.parse('2026-11-17T00:00:00Z')])
})

test('a transaction is approved by a login of the same session, for one decision about one resource', async () => {
  await using manager = await started({}, { ...PAGES, condition: { type: 'Transaction' } })
  const ssoToken = manager.login('demo')
  const subject = { ssoToken }
  const first = await decision(manager, { subject })
  assert.deepEqual([first['actions'], first['ttl']], [{}, 0])
  const [id = ''] = (first['advices'] as { TransactionConditionAdvice: string[] }).TransactionConditionAdvice
  const environment = { TxId: [id] }
  assert.deepEqual((await decision(manager, { subject, environment }))['actions'], {})
  const xml = `<Advices><AttributeValuePair><Attribute name="TransactionConditionAdvice"/><Value>${id}</Value></AttributeValuePair></Advices>`
  const login = await sendRequest(
    manager,
    'POST',
    `/json/authenticate?authIndexType=composite_advice&authIndexValue=${encodeURIComponent(xml)}`,
    { headers: { iPlanetDirectoryPro: ssoToken, 'X-OpenAM-Username': 'demo', 'X-OpenAM-Password': 'changeit' } },
  )
  assert.equal(login.body['tokenId'], ssoToken)
  const other = { subject, environment, resources: ['https://other.example.com/home'] }
  assert.deepEqual((await decision(manager, other))['actions'], {})
  const granted = await decision(manager, { subject, environment })
  assert.deepEqual([granted['actions'], granted['ttl']], [PAGES.actionValues, 0])
  assert.deepEqual((await decision(manager, { subject, environment }))['actions'], {})
})

test('permitted callers, and rejected requests', async () => {
  await using manager = await started({}, PAGES)
  const demo = manager.login('demo')
  const path = 'policies?_action=evaluate'
  assert.equal((await call(manager, 'POST', path, 'dead', {})).status, 401)
  assert.equal((await call(manager, 'POST', path, demo, {})).status, 403)
  assert.equal((await evaluate(manager, { resources: [] })).status, 400)
  assert.equal((await evaluate(manager, { application: 'nowhere' })).status, 404)
  assert.equal((await evaluate(manager, { subject: { claims: { name: 'no sub' } } })).status, 400)
  assert.equal((await evaluate(manager, { subject: { jwt: 'nonsense' } })).status, 400)
  await using older = await started({ family: 'openam' }, PAGES)
  const refused = await evaluate(older, { subject: { ssoToken: 'expired' } })
  assert.deepEqual([refused.status, refused.body['message']], [400, 'Invalid value subject'])
})

test('administrators create, read, update and delete policies and policy sets', async () => {
  await using manager = await started()
  const admin = manager.login('amadmin')
  const policy = { ...PAGES, applicationName: 'HR' }
  assert.equal((await call(manager, 'POST', 'policies?_action=create', manager.login('demo'), policy)).status, 403)
  assert.equal((await call(manager, 'POST', 'policies?_action=create', admin, policy)).status, 400)
  assert.equal((await call(manager, 'POST', 'applications?_action=create', admin, { name: 'HR' })).status, 201)
  assert.equal((await call(manager, 'POST', 'policies?_action=create', admin, policy)).status, 201)
  assert.equal((await call(manager, 'POST', 'policies?_action=create', admin, policy)).status, 409)
  assert.equal((await call(manager, 'GET', 'policies/pages', admin)).body['applicationName'], 'HR')
  assert.equal((await call(manager, 'GET', 'policies?_queryFilter=true', admin)).body['resultCount'], 1)
  const bad = await call(manager, 'PUT', 'policies/pages', admin, { ...policy, condition: { type: 'Weather' } })
  assert.deepEqual([bad.status, bad.body['message']], [400, 'condition: no such type "Weather"'])
  for (const wrong of [
    { resources: 'https://a/' },
    { actionValues: { GET: 'yes' } },
    { subject: { type: 'AND' } },
    { condition: { type: 'AuthScheme', authScheme: 'DataStore' } },
    { condition: { type: 'AuthLevel' } },
    { resourceAttributes: [{ type: 'Static' }] },
  ])
    assert.equal((await call(manager, 'PUT', 'policies/pages', admin, { ...policy, ...wrong })).status, 400)
  assert.equal((await call(manager, 'PUT', 'policies/pages', admin, { ...policy, active: false })).status, 200)
  assert.equal((await call(manager, 'DELETE', 'policies/pages', admin)).status, 200)
  assert.equal((await call(manager, 'GET', 'policies/pages', admin)).status, 404)
  assert.equal((await call(manager, 'DELETE', 'applications/HR', admin)).status, 200)
})
