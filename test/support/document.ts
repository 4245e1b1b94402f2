import { tmpdir } from 'node:os'
import { baseScope } from '#expression'
import {
  ConfigDocument,
  type Construction,
  type DocumentType,
  type Heap,
  Properties,
  type TokenResolver,
  type World,
} from '#heap'
import type { JsonObject, JsonValue } from '#json'
import { memoryLog } from '#logging'
import type { Members, TypeDefinition } from '#schema'
import { type Surroundings, TestMetrics, testWorld } from '#test/build'

/** What surrounds a document under test. */
export interface DocumentSurroundings extends Surroundings {
  readonly types: readonly TypeDefinition[]
  readonly parent?: Heap
  readonly underConstruction?: Construction
  readonly defaults?: readonly JsonValue[]
  readonly segments?: readonly string[]
  /** What `&{name}` stands for beyond properties. */
  readonly tokens?: Readonly<Record<string, JsonValue>>
  /** Told which heap and which objects under construction ask for routes. */
  readonly onRouter?: (heap: Heap, chain: Construction) => void
}

/** Decodes a document as a user writes it; nothing is built yet. */
export function openDocument<M extends Members>(
  type: DocumentType<M>,
  json: JsonObject,
  surroundings: DocumentSurroundings,
): ConfigDocument<M> {
  const { parent = null, tokens = {}, underConstruction, defaults } = surroundings
  const directory = tmpdir()
  const gateway = { instanceDirectory: directory, configDirectory: directory, temporaryDirectory: directory }
  const scope = baseScope({ env: surroundings.env ?? {}, system: {}, now: () => 0, gateway })
  const resolve: TokenResolver = (name) => (Object.hasOwn(tokens, name) ? tokens[name] : undefined)
  const world = testWorld(directory, surroundings.types, surroundings, memoryLog(), new TestMetrics())
  const router: World['router'] = (heap, chain) => {
    surroundings.onRouter?.(heap, chain)
    return world.router(heap, chain)
  }
  return new ConfigDocument(type, json, {
    world: { ...world, router },
    parent,
    properties: parent?.properties ?? Properties.root(scope, resolve),
    segments: surroundings.segments ?? ['gateway'],
    revision: '1',
    ...(underConstruction && { underConstruction }),
    ...(defaults && { defaults }),
  })
}
