// A Tomcat on loopback that runs the web application of OpenAM. All that it writes is below one folder.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { delimiter, join } from 'node:path'
import { JavaProcess } from '../java-process.ts'
import { findJdk } from '../jdk.ts'
import { fetchUnpacked } from '../maven.ts'

export const OPENAM_VERSION = '16.0.5'
export const TOMCAT_VERSION = '10.1.34'

export interface TomcatOptions {
  /** Folder of its own: configuration, logs, OpenAM's data. */
  readonly directory: string
  readonly port: number
  /** Names that lead to loopback, for the JVM. */
  readonly names: readonly string[]
  /** System properties of OpenAM by name. */
  readonly properties: Readonly<Record<string, string>>
}

export function startTomcat({ directory, port, names, properties }: TomcatOptions): JavaProcess {
  const jdk = findJdk(17, 21)
  const home = join(
    fetchUnpacked(`org.apache.tomcat:tomcat:${TOMCAT_VERSION}:zip`, jdk),
    `apache-tomcat-${TOMCAT_VERSION}`,
  )
  const application = fetchUnpacked(`org.openidentityplatform.openam:openam-server:${OPENAM_VERSION}:war`, jdk)
  bindDirectoryToLoopback(application, jdk)
  for (const folder of ['conf', 'logs', 'temp', 'work', 'home', 'data'])
    mkdirSync(join(directory, folder), { recursive: true })
  cpSync(join(home, 'conf', 'web.xml'), join(directory, 'conf', 'web.xml'))
  writeFileSync(join(directory, 'conf', 'server.xml'), serverXml(port, application))
  const hosts = join(directory, 'hosts')
  writeFileSync(hosts, `127.0.0.1 ${['localhost', hostname(), ...names].join(' ')}\n`)
  const data = join(directory, 'data')
  const settings = {
    'catalina.home': home,
    'catalina.base': directory,
    'java.io.tmpdir': join(directory, 'temp'),
    'jdk.net.hosts.file': hosts,
    'user.home': join(directory, 'home'),
    'com.sun.identity.configuration.directory': data,
    'com.iplanet.services.configpath': data,
    ...properties,
  }
  const jars = ['bootstrap.jar', 'tomcat-juli.jar'].map((name) => join(home, 'bin', name))
  return new JavaProcess({
    jdk,
    args: [
      ...JVM_OPTIONS,
      ...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`),
      '-cp',
      jars.join(delimiter),
      'org.apache.catalina.startup.Bootstrap',
      'start',
    ],
    cwd: directory,
    env: { HOME: join(directory, 'home') },
    log: join(directory, 'logs', 'catalina.out'),
  })
}

const JVM_OPTIONS = [
  '-Xmx1g',
  // The optimising compiler does not pay off in a run of some minutes.
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  ...['java.lang', 'java.util', 'java.net'].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
  ...['sun.security.tools.keytool', 'sun.security.x509'].map((name) => `--add-exports=java.base/${name}=ALL-UNNAMED`),
]

/** OpenAM's embedded directory server would listen on all addresses of the machine. */
function bindDirectoryToLoopback(application: string, jdk: string): void {
  const cwd = join(application, 'WEB-INF', 'template', 'opendj')
  const file = join('template', 'config', 'config.ldif')
  if (existsSync(join(cwd, file))) return
  const archive = (mode: string) => {
    const { status, stderr } = spawnSync(join(jdk, 'bin', 'jar'), [mode, 'opendj.zip', file], { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`jar ${mode}: ${stderr}`)
  }
  archive('xf')
  const text = readFileSync(join(cwd, file), 'utf8')
  writeFileSync(join(cwd, file), text.replaceAll('listen-address: 0.0.0.0', 'listen-address: 127.0.0.1'))
  archive('uf')
}

function serverXml(port: number, application: string): string {
  return `<Server port="-1">
  <Service name="Catalina">
    <Connector port="${port}" address="127.0.0.1" maxThreads="50"/>
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps" deployOnStartup="false" autoDeploy="false">
        <Context path="/openam" docBase="${application}" reloadable="false"/>
      </Host>
    </Engine>
  </Service>
</Server>
`
}
