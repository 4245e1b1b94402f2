// The first configuration of an OpenAM: the request of its web wizard, required before any REST call.
import { join } from 'node:path'

export interface FirstConfiguration {
  readonly url: string
  readonly directory: string
  readonly cookieDomain: string
  readonly adminPassword: string
  /** Of the embedded directory server: LDAP, its administration, JMX. */
  readonly ports: readonly [ldap: number, admin: number, jmx: number]
}

export async function configure({
  url,
  directory,
  cookieDomain,
  adminPassword,
  ports,
}: FirstConfiguration): Promise<void> {
  const [ldap, admin, jmx] = ports.map(String) as [string, string, string]
  const fields = {
    SERVER_URL: new URL(url).origin,
    DEPLOYMENT_URI: new URL(url).pathname,
    BASE_DIR: join(directory, 'data'),
    locale: 'en_US',
    PLATFORM_LOCALE: 'en_US',
    AM_ENC_KEY: 'an-encryption-key-of-the-suite-32',
    ADMIN_PWD: adminPassword,
    ADMIN_CONFIRM_PWD: adminPassword,
    // OpenAM rejects the password of the administrator here.
    AMLDAPUSERPASSWD: `${adminPassword}-ldap`,
    AMLDAPUSERPASSWD_CONFIRM: `${adminPassword}-ldap`,
    COOKIE_DOMAIN: cookieDomain,
    ACCEPT_LICENSES: 'true',
    acceptLicense: 'true',
    DATA_STORE: 'embedded',
    DIRECTORY_SSL: 'SIMPLE',
    DIRECTORY_SERVER: new URL(url).hostname,
    DIRECTORY_PORT: ldap,
    DIRECTORY_ADMIN_PORT: admin,
    DIRECTORY_JMX_PORT: jmx,
    ROOT_SUFFIX: 'dc=openam,dc=example,dc=test',
    DS_DIRMGRDN: 'cn=Directory Manager',
    DS_DIRMGRPASSWD: adminPassword,
  }
  const answer = await fetch(`${url}/config/configurator`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
    signal: AbortSignal.timeout(600_000),
  })
  const text = await answer.text()
  if (!answer.ok || !/Configuration complete/i.test(text))
    throw new Error(`OpenAM was not configured: ${answer.status} ${text.slice(-1500)}`)
}
