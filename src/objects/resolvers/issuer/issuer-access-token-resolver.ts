import { AccessTokenResolverKind } from '#contracts'
import { defineType, map, ref } from '#schema'
import { IssuerChoice } from './issuer-choice.ts'

/** Resolves tokens of several authorization servers. */
export const IssuerAccessTokenResolver = defineType({
  name: 'IssuerAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Selects a resolver by the issuer of the access token.',
  config: {
    resolvers: map(ref(AccessTokenResolverKind)).meta({
      description: 'Issuers (the claim `iss` of tokens, compared exactly) to the resolvers of their tokens.',
    }),
    default: ref(AccessTokenResolverKind).optional().meta({
      description: 'Resolver of tokens that are no signed JSON Web Tokens; without it they are rejected.',
    }),
  },
  check: ({ resolvers }, report) => {
    const issuers = Object.keys(resolvers)
    if (issuers.length === 0) report('/resolvers', 'expected at least one issuer')
    if (issuers.includes('')) report('/resolvers', 'expected issuers that are not empty')
  },
  create: ({ resolvers, default: opaque }) => new IssuerChoice(new Map(Object.entries(resolvers)), opaque ?? null),
})
