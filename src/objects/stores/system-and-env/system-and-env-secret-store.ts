import { SecretStoreKind } from '#contracts'
import { defineType, type Environment } from '#schema'
import { formattedSecrets, SECRETS_EVENTS, SecretExpiry, SecretsById } from '#secrets'
import { checkMappings, type FormatSettings, formatFields, formatOf } from '../lib/formats.ts'
import { checkLease, leaseExpiry, usableLease } from '../lib/lease-expiry.ts'

/** Secrets in environment variables and system properties. */
export const SystemAndEnvSecretStore = defineType({
  name: 'SystemAndEnvSecretStore',
  kind: SecretStoreKind,
  summary: 'Reads secrets from environment variables and system properties.',
  events: [SECRETS_EVENTS.FORMAT_WARNING, SECRETS_EVENTS.SECRET_UNREADABLE],
  config: { ...formatFields(), leaseExpiry: leaseExpiry() },
  check: ({ mappings, leaseExpiry }, report, warn) => {
    checkLease(leaseExpiry, warn)
    checkMappings(mappings, report)
  },
  create: ({ leaseExpiry, ...formats }, env) => variableSecrets(formats, usableLease(leaseExpiry), env),
})

/** Secrets in the variables of configuration expressions. */
function variableSecrets(formats: FormatSettings, lease: number, env: Environment): SecretsById {
  const formatFor = formatOf(formats)
  const { clock, logger, name: source } = env
  return new SecretsById({
    lease,
    clock,
    logger,
    expiry: new SecretExpiry(env),
    read: async (secretId) => {
      const found = variableOf(secretId, env)
      if (found === null) return { content: null, version: '' }
      const place = { secretId, source, where: found.where, logger }
      const content = await formattedSecrets(formatFor(secretId), Buffer.from(found.value), place)
      return { content, version: '' }
    },
  })
}

/** The variable or system property of an id; `my.secret.id` is `MY_SECRET_ID` in the environment. */
function variableOf(secretId: string, env: Environment): { readonly where: string; readonly value: string } | null {
  const variable = secretId.toUpperCase().replace(/[.-]/g, '_')
  const value = ownText(env.scope.lookup('env'), variable)
  if (value !== null) return { where: `the environment variable ${variable}`, value }
  const property = ownText(env.scope.lookup('system'), secretId)
  return property === null ? null : { where: `the system property ${secretId}`, value: property }
}

function ownText(variables: unknown, name: string): string | null {
  if (typeof variables !== 'object' || variables === null || !Object.hasOwn(variables, name)) return null
  const value = (variables as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : null
}
