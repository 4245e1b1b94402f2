import { AccessTokenResolverKind } from '#contracts'
import { boolean, config, defineType, duration, ref } from '#schema'
import { withAdmission } from '../../lib/tokens/bound-token.ts'
import { Possession } from './possession.ts'
import { CLOCK_AHEAD } from './proof.ts'
import { PROOF_MEMORY_BYTES, ProofMemory } from './proof-memory.ts'

/** Requires DPoP proofs of possession. */
export const DpopAccessTokenResolver = defineType({
  name: 'DpopAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Verifies that access tokens are bound to a key of the client by DPoP (RFC 9449).',
  metrics: ['gw_dpop_memory_full_total', 'gw_dpop_refused_total', 'gw_dpop_replayed_total'],
  config: {
    delegate: ref(AccessTokenResolverKind).meta({ description: 'Resolves and validates access tokens.' }),
    proofMaxAge: config(duration({ min: '5 seconds', max: '10 minutes' }))
      .default('1 minute')
      .meta({ description: 'Maximum age of a proof; from 5 seconds to 10 minutes.' }),
    requireNonce: config(boolean()).default(false).meta({
      description: 'Whether each proof must contain a nonce of the gateway.',
    }),
    allowUnboundTokens: config(boolean()).default(false).meta({
      description: 'Whether unbound tokens (without `cnf`) are admitted with the scheme Bearer.',
    }),
  },
  create: async ({ delegate, proofMaxAge, requireNonce, allowUnboundTokens }, env) => {
    const counter = (name: string, help: string) => env.metrics.counter(name, help, { name: env.localName })
    const shared = await env.shared('proofs', PROOF_MEMORY_BYTES)
    const possession = new Possession({
      maxAge: proofMaxAge,
      requireNonce,
      unbound: allowUnboundTokens ? 'admitted' : 'refused',
      clock: env.clock,
      memory: new ProofMemory(shared, proofMaxAge + CLOCK_AHEAD, env.clock.now()),
      counters: {
        refused: counter('gw_dpop_refused_total', 'requests whose DPoP proof was not accepted'),
        replayed: counter('gw_dpop_replayed_total', 'DPoP proofs that were used before'),
        full: counter('gw_dpop_memory_full_total', 'requests refused since no more DPoP proofs could be remembered'),
      },
    })
    const schemes = allowUnboundTokens ? (['DPoP', 'Bearer'] as const) : (['DPoP'] as const)
    return withAdmission(delegate, schemes, (token, exchange) => possession.refusal(token, exchange))
  },
})
