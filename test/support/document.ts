import { tmpdir } from 'node:os'
import { baseScope } from '#expression'
import {
  type BuildPath,
  ConfigDocument,
  type DocumentType,
  type Heap,
  Properties,
  type TokenResolver,
  type UnitContext,
} from '#heap'
import type { JsonObject, JsonValue } from '#json'
import { memoryLog } from '#logging'
import type { Members, TypeDefinition } from '#schema'
import { type BuildOptions, TestMetrics, testUnitContext } from '#test/build'

/** The environment of a document under test. */
export interface DocumentOptions extends BuildOptions {
  readonly types: readonly TypeDefinition[]
  readonly parent?: Heap
  readonly buildPath?: BuildPath
  readonly defaults?: readonly JsonValue[]
  readonly segments?: readonly string[]
  /** Values of `&{name}` besides properties. */
  readonly tokens?: Readonly<Record<string, JsonValue>>
  /** Called with the heap and the objects under construction that request routes. */
  readonly onRouter?: (heap: Heap, chain: BuildPath) => void
}

/** Decodes a document as a user writes it; nothing is built yet. */
export function openDocument<M extends Members>(
  type: DocumentType<M>,
  json: JsonObject,
  options: DocumentOptions,
): ConfigDocument<M> {
  const { parent = null, tokens = {}, buildPath, defaults } = options
  const directory = tmpdir()
  const gateway = { instanceDirectory: directory, configDirectory: directory, temporaryDirectory: directory }
  const scope = baseScope({ env: options.env ?? {}, system: {}, now: () => 0, gateway })
  const resolve: TokenResolver = (name) => (Object.hasOwn(tokens, name) ? tokens[name] : undefined)
  const unitContext = testUnitContext(directory, options.types, options, memoryLog(), new TestMetrics())
  const router: UnitContext['router'] = (heap, chain) => {
    options.onRouter?.(heap, chain)
    return unitContext.router(heap, chain)
  }
  return new ConfigDocument(type, json, {
    unitContext: { ...unitContext, router },
    parent,
    properties: parent?.properties ?? Properties.root(scope, resolve),
    segments: options.segments ?? ['gateway'],
    revision: '1',
    ...(buildPath && { buildPath }),
    ...(defaults && { defaults }),
  })
}
