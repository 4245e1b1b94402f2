import type { Refusal } from '#groovy'

/** Classes of other libraries that scripts of such gateways use, and what to use instead. */
export const REFUSALS: readonly Refusal[] = [
  {
    names: ['com.nimbusds.', 'io.jsonwebtoken.', 'com.auth0.', 'org.jose4j.'],
    advice: 'this library is not there; let a JwtBuilderFilter or JwtValidationFilter make and check tokens',
  },
  { names: ['org.bouncycastle.'], advice: 'this library is not there; use java.security and javax.crypto' },
  { names: ['org.redisson.', 'redis.clients.'], advice: 'scripts do not talk to Redis; use session or globals' },
  {
    names: ['org.apache.http.', 'org.apache.commons.httpclient.', 'okhttp3.', 'java.net.http.'],
    advice: 'this library is not there; send requests with http.send(request)',
  },
  { names: ['org.apache.commons.', 'com.google.common.'], advice: 'this library is not there; Groovy has most of it' },
  {
    names: ['org.forgerock.json.jose.', 'org.forgerock.secrets.', 'org.forgerock.openig.secrets.'],
    advice: 'not available; let a JwtBuilderFilter or JwtValidationFilter make and check tokens',
  },
  {
    names: ['org.forgerock.opendj.', 'org.forgerock.openig.ldap.'],
    advice: 'scripts have no LDAP; ask a service over HTTP',
  },
]
