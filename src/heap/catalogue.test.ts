import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FilterKind, HandlerKind } from '#contracts'
import { Catalogue } from '#heap'
import { respond } from '#http'
import { defineType, LazyType, list, ref, type TypeDefinition } from '#schema'
import { UNSUPPORTED_TYPES } from './unsupported-types.ts'

const Respond = defineType({
  name: 'Respond',
  aliases: ['Answer'],
  kind: HandlerKind,
  summary: 'Responds.',
  config: {},
  create: () => async () => respond(200),
})
const Pass = defineType({
  name: 'Pass',
  kind: FilterKind,
  summary: 'Passes.',
  config: { filters: list(ref(FilterKind)).default([]) },
  create: () => (exchange, next) => next(exchange),
})

/** A catalogue of lazy types, and the names of those whose modules were loaded. */
function lazyCatalogue(types: readonly TypeDefinition[]): { catalogue: Catalogue; loads: string[] } {
  const loads: string[] = []
  const lazy = types.map(
    (type) =>
      new LazyType(type.name, type.aliases, async () => {
        loads.push(type.name)
        return type
      }),
  )
  return { catalogue: new Catalogue(lazy), loads }
}

test('types are loaded when they are looked up, once, by name, alias or class name', async () => {
  const { catalogue, loads } = lazyCatalogue([Respond, Pass])
  for (const name of ['Respond', 'Answer', 'org.forgerock.http.Respond']) {
    assert.equal(await catalogue.withTypes(() => catalogue.find(name)), Respond)
  }
  assert.deepEqual(loads, ['Respond'])
  assert.equal(catalogue.find('Respond'), Respond)
  assert.equal(await catalogue.withTypes(() => catalogue.find('Missing')), null)
  assert.match(catalogue.unknown('Pas'), /did you mean "Pass"/)
})

test('a function is run again until all types that it looks up are loaded, also after it failed without them', async () => {
  const { catalogue, loads } = lazyCatalogue([Respond, Pass])
  let runs = 0
  const found = await catalogue.withTypes(() => {
    runs++
    const first = catalogue.find('Pass')
    if (first === null) throw new TypeError('unusable without its type')
    return [first.name, catalogue.find('Respond')?.name]
  })
  assert.deepEqual(found, ['Pass', 'Respond'])
  assert.deepEqual(loads, ['Pass', 'Respond'])
  assert.equal(runs, 3)
  await assert.rejects(
    catalogue.withTypes(() => {
      throw new RangeError('its own fault')
    }),
    RangeError,
  )
})

test('a lookup of a type that is not loaded fails outside of withTypes', () => {
  const { catalogue } = lazyCatalogue([Respond])
  assert.throws(() => catalogue.find('Respond'), /the type Respond is not loaded/)
})

test('a type whose module can not be loaded is named, and loaded again with the next lookup', async () => {
  let attempts = 0
  const type = new LazyType('Respond', [], async () => {
    attempts++
    if (attempts === 1) throw new Error('Cannot find module')
    return Respond
  })
  const catalogue = new Catalogue([type])
  const find = () => catalogue.withTypes(() => catalogue.find('Respond'))
  await assert.rejects(find(), /the type Respond can not be loaded: Cannot find module; .*restart it$/)
  assert.equal(await find(), Respond)
})

test('a type of another gateway that does not exist here is refused with its replacement, and without a suggestion', () => {
  const catalogue = new Catalogue([{ ...Pass, name: 'SamlFederationHandle' }])
  assert.match(
    catalogue.unknown('SamlFederationHandler'),
    /^unsupported type "SamlFederationHandler": .*OpenID Connect/,
  )
  assert.match(catalogue.unknown('org.example.DesKeyGenHandler'), /openssl rand/)
  assert.match(catalogue.unknown('FapiTokenFilterChain'), /OAuth2ResourceServerFilter/)
  assert.match(catalogue.unknown('FapiResourceUnprotectedFilterChain'), /OAuth2ResourceServerFilter/)
  assert.match(catalogue.unknown('McpValidationFilter'), /OAuth2ResourceServerFilter.*ScriptableFilter/)
  assert.match(catalogue.unknown('McpProtectionFilter'), /OAuth2ResourceServerFilter.*ScriptableFilter/)
  assert.match(catalogue.unknown('PingOneProtectEvaluationFilter'), /PolicyEnforcementFilter/)
  assert.match(catalogue.unknown('MQ_Kafka'), /KafkaAuditEventHandler/)
  assert.match(catalogue.unknown('IdentityAssertionHandler'), /SingleSignOnFilter/)
  assert.match(catalogue.unknown('ScriptableIdentityAssertionPlugin'), /SingleSignOnFilter/)
  for (const type of UNSUPPORTED_TYPES.keys()) assert.doesNotMatch(catalogue.unknown(type), /did you mean/)
})
