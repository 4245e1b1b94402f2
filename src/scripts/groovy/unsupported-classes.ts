import type { UnsupportedClasses } from '@identity-gateway/groovy'

/** Unsupported libraries that scripts of other gateways use, with their replacement. */
export const UNSUPPORTED_CLASSES: readonly UnsupportedClasses[] = [
  {
    names: ['com.nimbusds.', 'io.jsonwebtoken.', 'com.auth0.', 'org.jose4j.'],
    advice:
      'use SigningManager and JwtBuilderFactory of org.forgerock.json.jose, or a JwtBuilderFilter or JwtValidationFilter',
  },
  { names: ['org.bouncycastle.'], advice: 'this library is not supported; use java.security and javax.crypto' },
  { names: ['org.redisson.', 'redis.clients.'], advice: 'scripts can not access Redis; use session or globals' },
  {
    names: ['org.apache.http.', 'org.apache.commons.httpclient.', 'okhttp3.', 'java.net.http.', 'groovyx.'],
    advice: 'this library is not supported; send requests with http.send(request)',
  },
  { names: ['org.apache.commons.', 'com.google.common.'], advice: 'use the corresponding methods of Groovy' },
  {
    names: ['org.forgerock.json.jose.'],
    advice: 'use SigningManager, JwtBuilderFactory and JwtReconstruction, or a JwtBuilderFilter or JwtValidationFilter',
  },
  {
    names: ['org.forgerock.secrets.', 'org.forgerock.openig.secrets.'],
    advice:
      'use secrets.get(secretId), with a secretsProvider in the configuration of the object; secret.matches(text) compares a password',
  },
  {
    names: ['org.forgerock.json.resource.', 'org.forgerock.audit.'],
    advice:
      "scripts can not send Common REST requests; publish audit events with audit.send('Topic', [eventName: 'NAME'])",
  },
  {
    names: ['org.forgerock.services.TransactionId'],
    advice:
      'the transaction id is set before routes are chosen; set trustTransactionHeader in admin.json to use that of a header',
  },
  {
    names: ['org.forgerock.opendj.', 'org.forgerock.openig.ldap.'],
    advice: 'scripts can not access LDAP; call a service over HTTP',
  },
  {
    names: ['com.sun.identity.', 'com.iplanet.', 'org.forgerock.openam.'],
    advice:
      'classes of the access manager run only there; call it with http.send(request), or use its filters, such as UserProfileFilter',
  },
  { names: ['org.forgerock.openidm.'], advice: 'classes of IDM run only there; call it with http.send(request)' },
  { names: ['org.joda.time.'], advice: 'this library is not supported; use java.time' },
  {
    names: ['org.forgerock.openig.handler.StaticResponseHandler'],
    advice: 'build the response in the script: new Response(Status.FOUND), with response.headers.put(name, value)',
  },
  {
    names: ['org.forgerock.openig.filter.', 'org.forgerock.openig.handler.'],
    advice: 'scripts can not create objects of a route; declare it in the route, before or after the script',
  },
  {
    names: ['org.forgerock.openig.el.'],
    advice:
      'scripts can not evaluate expressions; an AssignmentFilter before the script stores their values in attributes',
  },
  {
    names: [
      'java.security.KeyStore',
      'java.security.KeyPairGenerator',
      'javax.crypto.KeyGenerator',
      'org.forgerock.security.keystore.',
    ],
    advice:
      'keys come from a secret store: use secrets.get(secretId), with a secretsProvider in the configuration of the object',
  },
]
