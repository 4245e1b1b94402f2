// A real OpenIG in an embedded Tomcat. No web application of it is published; its modules are.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Folder } from '#test/folder'
import { freePort } from '#test/nginx'
import { JavaProcess } from '../java-process.ts'
import { compileJava, findJdk } from '../jdk.ts'
import { CACHE, dependencyFolder, fetchWithDependencies } from '../maven.ts'

export const OPENIG_VERSION = '6.0.1'
export const TOMCAT_VERSION = '11.0.14'
/** OpenIG's own poms name an httpcore that its client can not use; those of OpenAM have the version that it needs. */
const MANAGED_BY = 'org.openidentityplatform.openam:openam:16.0.3'
const SLF4J_VERSION = '2.0.17'
const START_TIMEOUT = 120_000

const NAME = `openig-${OPENIG_VERSION}-tomcat-${TOMCAT_VERSION}`
const classes = join(CACHE, `${NAME}-classes`)

/** Fetches the modules once, and compiles the program that starts them. */
export function buildOpenIg(): void {
  const jars = fetchWithDependencies(
    NAME,
    [
      `org.openidentityplatform.openig:openig-core:${OPENIG_VERSION}`,
      `org.apache.tomcat.embed:tomcat-embed-core:${TOMCAT_VERSION}`,
      `org.slf4j:slf4j-simple:${SLF4J_VERSION}`,
    ],
    { managedBy: MANAGED_BY },
  )
  compileJava(findOpenIgJdk(), join(import.meta.dirname, 'OpenIg.java'), { jars, classes })
}

/** Whether `buildOpenIg` has been run for these versions. */
export function isOpenIgBuilt(): boolean {
  return existsSync(dependencyFolder(NAME)) && existsSync(join(classes, 'OpenIg.class'))
}

/** Tomcat 11 needs version 17; OpenIG's Groovy does not read the classes of much later ones. */
export function findOpenIgJdk(): string {
  return findJdk(17, 21)
}

export interface OpenIgFolders {
  /** With `config/config.json` and `config/routes`. */
  readonly instance: string
  /** For files of Tomcat. */
  readonly work: string
}

/** Arguments of `java`. */
export function openIgArguments(port: number, { instance, work }: OpenIgFolders): string[] {
  return [
    '-Xmx512m',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    `-Dopenig.base=${instance}`,
    '-cp',
    [classes, join(dependencyFolder(NAME), '*')].join(delimiter),
    'OpenIg',
    String(port),
    work,
  ]
}

export class OpenIgServer implements AsyncDisposable {
  readonly port: number
  readonly #work = new Folder()
  readonly #jvm: JavaProcess

  private constructor(port: number, instance: string, env: Readonly<Record<string, string>>) {
    this.port = port
    this.#jvm = new JavaProcess({
      jdk: findOpenIgJdk(),
      args: [
        // The optimising compiler does not pay off in a run of some seconds.
        ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
        ...openIgArguments(port, { instance, work: this.#work.path }),
      ],
      cwd: this.#work.path,
      env,
      log: this.#work.in('openig.out'),
    })
  }

  /** Starts one with an instance, and waits for its first response. */
  static async start(instance: string, env: Readonly<Record<string, string>> = {}): Promise<OpenIgServer> {
    const server = new OpenIgServer(await freePort(), instance, env)
    try {
      await server.#jvm.until(async () => (await fetch(`http://127.0.0.1:${server.port}/`)).status > 0, START_TIMEOUT)
      return server
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
  }

  get peakMemory(): number {
    return this.#jvm.peakMemory
  }

  get log(): string {
    return this.#work.read('openig.out')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#jvm[Symbol.asyncDispose]()
    this.#work[Symbol.dispose]()
  }
}
