// A real OpenAM, from nothing: started, configured, set up, and restarted where a flow wants that.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JavaProcess } from '../java-process.ts'
import { Administrator } from './administrator.ts'
import { configure } from './configurator.ts'
import { startTomcat } from './tomcat.ts'

/** A start takes half a minute on two idle cores, and minutes under load. */
const PATIENCE = 600_000
const HOST = 'openam.example.test'
const ADMIN_PASSWORD = 'the password of amadmin'

export type LoginPages = 'xui' | 'classic'

export class OpenAm implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'gateway-openam-'))
  readonly url: string
  readonly admin: Administrator
  readonly #port: number
  #tomcat: JavaProcess | null = null
  #pages: LoginPages = 'xui'
  #peakMemory = 0

  constructor(port: number) {
    this.#port = port
    this.url = `http://${HOST}:${port}/openam`
    this.admin = new Administrator(this.url, ADMIN_PASSWORD)
  }

  /** Starts the server and configures it; `ports` are those of its directory server. */
  async install(ports: readonly [number, number, number]): Promise<void> {
    await this.start('xui')
    const { url, directory } = this
    await configure({ url, directory, cookieDomain: 'example.test', adminPassword: ADMIN_PASSWORD, ports })
    await this.admin.logIn()
  }

  /** Starts it and waits until it answers. Sessions live in memory: a start ends them all. */
  async start(pages: LoginPages): Promise<void> {
    const tomcat = startTomcat({
      directory: this.directory,
      port: this.#port,
      names: [HOST],
      properties: {
        'org.forgerock.http.TrustTransactionHeader': 'true',
        // With HttpOnly cookies OpenAM shows its classic pages.
        ...(pages === 'classic' && { 'com.sun.identity.cookie.httponly': 'true' }),
      },
    })
    this.#tomcat = tomcat
    this.#pages = pages
    await tomcat.until(async () => {
      const { status } = await fetch(`${this.url}/isAlive.jsp`, { redirect: 'manual' })
      return status === 200 || status === 302
    }, PATIENCE)
  }

  /** Makes sure that it shows these pages; changing the kind requires a restart. */
  async show(pages: LoginPages): Promise<void> {
    if (this.#pages === pages) return
    await this.stop()
    await this.start(pages)
    await this.admin.logIn()
  }

  async stop(): Promise<void> {
    void this.peakMemory
    await this.#tomcat?.[Symbol.asyncDispose]()

    this.#tomcat = null
  }

  /** In MiB, over all its starts. */
  get peakMemory(): number {
    this.#peakMemory = Math.max(this.#peakMemory, this.#tomcat?.peakMemory ?? 0)
    return this.#peakMemory
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }
}
