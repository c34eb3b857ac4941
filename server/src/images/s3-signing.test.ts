import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { useS3Credentials } from '../../test/s3-server.ts';
import { newId } from '../base/secrets.ts';
import { openImageStore } from './open-image-store.ts';

interface Captured {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Computes the expected signature (Amazon S3 API, "Signature calculations", header form). */
function signatureOf({ request }: Captured, secret: string): string {
  const { headers, method = '', url = '' } = request;
  const [path = '', query = ''] = url.split('?');
  const authorization = headers.authorization ?? '';
  const scope = /Credential=[^/]+\/([^,]+),/.exec(authorization)?.[1] ?? '';
  const names = /SignedHeaders=([^,]+),/.exec(authorization)?.[1] ?? '';
  const canonicalHeaders = names
    .split(';')
    .map((name) => `${name}:${String(headers[name]).trim()}\n`)
    .join('');
  const canonicalQuery = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .toSorted()
    .join('&');
  const bodyHash = String(headers['x-amz-content-sha256']);
  const canonical = [method, path, canonicalQuery, canonicalHeaders, names, bodyHash].join('\n');
  const date = String(headers['x-amz-date']);
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<Buffer>((from, part) => hmac(from, part), Buffer.from(`AWS4${secret}`));
  return hmac(key, toSign).toString('hex');
}

describe('requests to a bucket', () => {
  it('requests to a bucket are signed (SigV4) with the secret key, over method, path, host, date and body hash', async () => {
    using _credentials = useS3Credentials();
    const captured: Captured[] = [];
    const capture = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      captured.push({ request, body: await buffer(request) });
      response.writeHead(200, { etag: '"x"' }).end();
    };
    const server = createServer((request, response) => void capture(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const endpoint = `http://127.0.0.1:${address.port}`;
    const bucket = { kind: 's3', bucket: 'cards', prefix: 'a b', endpoint } as const;
    const store = await openImageStore({
      ...bucket,
      region: 'ap-northeast-1',
      isPathStyle: true,
    });
    const bytes = Buffer.from('the bytes of a picture');
    const key = { shopId: newId(), pictureId: newId(), size: 'large' } as const;
    await store.write(key, bytes, 'image/jpeg');
    const [put] = captured;
    assert.ok(put);
    const { headers, url } = put.request;
    assert.deepEqual(put.body, bytes, 'as they are, in no chunks of the SDK');
    assert.ok(url?.startsWith(`/cards/a%20b/${key.shopId}/`), url);
    assert.equal(headers['content-type'], 'image/jpeg');
    assert.equal(headers['content-length'], String(bytes.length));
    assert.equal(headers['x-amz-content-sha256'], sha256(bytes));
    assert.match(
      headers.authorization ?? '',
      /Credential=S3RVER\/\d{8}\/ap-northeast-1\/s3\/aws4_request/,
    );
    const sent = /Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '')?.[1];
    assert.equal(sent, signatureOf(put, 'S3RVER'));
    assert.notEqual(sent, signatureOf(put, 'another secret'));
    await store.close();
    server.close();
  });
});
