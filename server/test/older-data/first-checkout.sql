-- Invented data, written by Cardport 0.1.0 at commit fd7e1cac and dumped with pg_dump --inserts.
-- Its refresh token's end was set to 2100, so that it stays valid.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.account (
    account_id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT account_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
    CONSTRAINT account_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);
CREATE TABLE public.app (
    shop_id uuid NOT NULL,
    client_id text NOT NULL,
    name text NOT NULL,
    contact_email text,
    redirect_uris text[] NOT NULL,
    scopes text[] NOT NULL,
    shares_cost boolean NOT NULL,
    is_enabled boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT app_contact_email_check CHECK ((length(contact_email) <= 254)),
    CONSTRAINT app_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT app_redirect_uris_check CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 20))),
    CONSTRAINT app_scopes_check CHECK ((scopes <@ ARRAY['openid'::text, 'profile'::text, 'offline_access'::text, 'purchase-boosts:read'::text, 'inventory:read'::text]))
);
CREATE TABLE public.app_secret (
    shop_id uuid NOT NULL,
    client_id text NOT NULL,
    secret_id uuid NOT NULL,
    secret_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.approval (
    shop_id uuid NOT NULL,
    approval_id uuid NOT NULL,
    client_id text NOT NULL,
    account_id uuid NOT NULL,
    grant_hash text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    CONSTRAINT approval_check CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT approval_end_reason_check CHECK ((end_reason = ANY (ARRAY['connection_ended'::text, 'token_revoked'::text, 'token_reused'::text])))
);
CREATE TABLE public.card (
    card_id uuid NOT NULL,
    game_id uuid NOT NULL,
    set_id uuid,
    set_code text,
    set_name text,
    set_name_en text,
    name text NOT NULL,
    localized_names jsonb NOT NULL,
    card_number text,
    set_total_raw text,
    jan_code text,
    language_code text NOT NULL,
    variant text,
    finish text,
    image_url text,
    rarity_code text,
    rarity_name text,
    is_active boolean NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT card_check CHECK (((rarity_code IS NULL) = (rarity_name IS NULL))),
    CONSTRAINT card_check1 CHECK ((((set_id IS NULL) = (set_code IS NULL)) AND ((set_id IS NULL) = (set_name IS NULL)))),
    CONSTRAINT card_check2 CHECK (((set_name_en IS NULL) OR (set_id IS NOT NULL)))
);
CREATE TABLE public.catalog_change (
    entry_kind text NOT NULL,
    entry_id uuid NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT catalog_change_entry_kind_check CHECK ((entry_kind = ANY (ARRAY['card'::text, 'product'::text, 'grade'::text])))
);
CREATE SEQUENCE public.catalog_position
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.catalog_restamp (
    only_row boolean NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT catalog_restamp_only_row_check CHECK (only_row)
);
CREATE TABLE public.connection (
    shop_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    client_id text NOT NULL,
    account_id uuid NOT NULL,
    status text NOT NULL,
    connected_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    CONSTRAINT connection_check CHECK (((status = 'revoked'::text) = (ended_at IS NOT NULL))),
    CONSTRAINT connection_check1 CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT connection_end_reason_check CHECK ((end_reason = ANY (ARRAY['app'::text, 'shop'::text, 'app_deleted'::text, 'token_revoked'::text, 'shop_closed'::text]))),
    CONSTRAINT connection_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text])))
);
CREATE TABLE public.cursor_key (
    key_id text NOT NULL,
    key bytea NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.feed_head (
    shop_id uuid NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    changed_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.game (
    game_id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.location (
    shop_id uuid NOT NULL,
    location_id uuid NOT NULL,
    site_id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    doc text NOT NULL
);
CREATE TABLE public.member (
    shop_id uuid NOT NULL,
    account_id uuid NOT NULL,
    permissions text[] NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT member_permissions_check CHECK ((permissions <@ ARRAY['purchases.read'::text, 'purchases.write'::text, 'inventory.read'::text, 'inventory.write'::text, 'inventory.cost'::text, 'integrations.manage'::text, 'members.manage'::text]))
);
CREATE TABLE public.oauth_answer (
    request_hash bytea NOT NULL,
    grant_hash text NOT NULL,
    successor_id text NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT oauth_answer_sealed_check CHECK ((octet_length(sealed) <= 16384))
);
CREATE TABLE public.oauth_artifact (
    model text NOT NULL,
    id text NOT NULL,
    payload jsonb NOT NULL,
    grant_hash text,
    consumed_at timestamp with time zone,
    expires_at timestamp with time zone
);
CREATE TABLE public.product (
    product_id uuid NOT NULL,
    game_id uuid NOT NULL,
    name text NOT NULL,
    product_kind text NOT NULL,
    jan_code text,
    language_code text NOT NULL,
    image_url text,
    is_active boolean NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.schema_migration (
    number integer NOT NULL,
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.session (
    session_hash text NOT NULL,
    account_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.shop (
    shop_id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    currency text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT shop_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT shop_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT shop_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 63)))
);
CREATE TABLE public.shop_grade (
    shop_id uuid NOT NULL,
    grade_id uuid NOT NULL,
    code text NOT NULL,
    label text NOT NULL,
    service_code text NOT NULL,
    service_name text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.shop_key (
    shop_id uuid NOT NULL,
    key_id uuid NOT NULL,
    name text NOT NULL,
    key_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT shop_key_name_check CHECK ((length(name) <= 200))
);
CREATE TABLE public.sign_in_attempt (
    key_hash text NOT NULL,
    window_started_at timestamp with time zone NOT NULL,
    attempt_count integer NOT NULL,
    CONSTRAINT sign_in_attempt_attempt_count_check CHECK ((attempt_count >= 0))
);
CREATE TABLE public.signing_key (
    slot text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT signing_key_sealed_check CHECK ((octet_length(sealed) <= 16384)),
    CONSTRAINT signing_key_slot_check CHECK ((slot = 'current'::text))
);
CREATE TABLE public.site (
    shop_id uuid NOT NULL,
    site_id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    country_code text NOT NULL,
    timezone text NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    doc text NOT NULL
);
CREATE TABLE public.third_party_grade (
    grade_id uuid NOT NULL,
    code text NOT NULL,
    label text NOT NULL,
    service_code text NOT NULL,
    service_name text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.unit (
    shop_id uuid NOT NULL,
    unit_id uuid NOT NULL,
    status text NOT NULL,
    site_id uuid NOT NULL,
    location_id uuid,
    card_id uuid,
    grade_id uuid,
    product_id uuid,
    cert_number text,
    serial_number text,
    ownership text NOT NULL,
    price_minor bigint,
    cost_minor bigint,
    currency text NOT NULL,
    photos jsonb DEFAULT '[]'::jsonb NOT NULL,
    acquired_at timestamp with time zone,
    status_changed_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    catalog_position bigint NOT NULL,
    seq bigint NOT NULL,
    doc text NOT NULL,
    CONSTRAINT unit_check CHECK (((card_id IS NULL) <> (product_id IS NULL))),
    CONSTRAINT unit_check1 CHECK (((grade_id IS NULL) OR (card_id IS NOT NULL))),
    CONSTRAINT unit_cost_minor_check CHECK (((cost_minor >= 0) AND (cost_minor <= '1000000000000'::bigint))),
    CONSTRAINT unit_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT unit_ownership_check CHECK ((ownership = ANY (ARRAY['owned'::text, 'consigned'::text]))),
    CONSTRAINT unit_price_minor_check CHECK (((price_minor >= 0) AND (price_minor <= '1000000000000'::bigint))),
    CONSTRAINT unit_status_check CHECK ((status = ANY (ARRAY['in_stock'::text, 'reserved'::text, 'in_transit'::text, 'grading'::text, 'sold'::text, 'returned'::text, 'written_off'::text, 'voided'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02');
INSERT INTO public.account VALUES ('b3480755-a117-4622-a536-f22f9f8a0d20', 'aoi@kumo.example', '青井', '$argon2id$v=19$m=19456,t=2,p=1$wXs5K7GNY6j7uBdObXPGlg$pjgDn+bctNuvakLZ2Iw8JCsBz5PNWzs+p9FfisCYFXs', '2026-11-24 03:09:21.243+00');
INSERT INTO public.app VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', 'app_jeSpYKlzhnxDlzCcnbKGkrlTAGguCss7k64mEkDf3yQ', 'Sorter', NULL, '{https://sorter.example/back}', '{offline_access,inventory:read}', false, true, '2026-11-24 03:09:22.179+00', '2026-11-24 03:09:22.179+00', NULL);
INSERT INTO public.app_secret VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', 'app_jeSpYKlzhnxDlzCcnbKGkrlTAGguCss7k64mEkDf3yQ', 'd2ce5ed5-c585-4629-b47d-1d333e4d784d', '7wYIaiLaerWRGX4-yOOdJDOjXKw7CRnHgAaAN-x2dFw', '2026-11-24 03:09:22.179+00');
INSERT INTO public.approval VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', '26305540-6392-4714-a2f5-837e34008f28', 'app_jeSpYKlzhnxDlzCcnbKGkrlTAGguCss7k64mEkDf3yQ', 'b3480755-a117-4622-a536-f22f9f8a0d20', 'Dv6r47CY4UMqc8gQVwrfYvdyJZbrdb8BmTBo0oIHrKo', '{offline_access,inventory:read}', '2026-11-24 03:09:23.28+00', NULL, NULL);
INSERT INTO public.card VALUES ('0a000000-0000-4000-8000-000000000001', '0a000000-0000-4000-8000-0000000000aa', NULL, NULL, NULL, NULL, '蒼天竜アルバ', '{}', NULL, NULL, NULL, 'ja', NULL, NULL, NULL, NULL, NULL, true, '2026-11-24 03:09:20.252+00');
INSERT INTO public.card VALUES ('0a000000-0000-4000-8000-000000000002', '0a000000-0000-4000-8000-0000000000aa', NULL, NULL, NULL, NULL, 'もう一枚', '{}', NULL, NULL, NULL, 'ja', NULL, NULL, NULL, NULL, NULL, true, '2026-11-24 03:09:20.252+00');
INSERT INTO public.catalog_change VALUES ('card', '0a000000-0000-4000-8000-000000000001', 1);
INSERT INTO public.catalog_change VALUES ('card', '0a000000-0000-4000-8000-000000000002', 2);
INSERT INTO public.catalog_change VALUES ('product', '0a000000-0000-4000-8000-000000000003', 3);
INSERT INTO public.catalog_change VALUES ('grade', '0a000000-0000-4000-8000-000000000004', 4);
INSERT INTO public.catalog_change VALUES ('grade', '0b000000-0000-4000-8000-000000000003', 5);
INSERT INTO public.catalog_restamp VALUES (true, 5);
INSERT INTO public.connection VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', 'bd7f6c5a-f45e-40b0-8f28-d1eb51b3dacf', 'app_jeSpYKlzhnxDlzCcnbKGkrlTAGguCss7k64mEkDf3yQ', 'b3480755-a117-4622-a536-f22f9f8a0d20', 'active', '2026-11-24 03:09:23.28+00', NULL, NULL);
INSERT INTO public.cursor_key VALUES ('45aa36a8', '\xe35cdf3e2d0612411fb89292cc8848b65dc4bda93430fd95183fe050bad4cc8d', '2026-11-24 03:09:23.819+00');
INSERT INTO public.feed_head VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', 1, 6, '2026-11-24 03:09:21.719+00');
INSERT INTO public.game VALUES ('0a000000-0000-4000-8000-0000000000aa', 'skyfall', '空のかけら');
INSERT INTO public.location VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', '0b000000-0000-4000-8000-000000000002', '0b000000-0000-4000-8000-000000000001', 'A', '棚', 'shelf', true, '2026-11-24 03:09:21.711+00', '2026-11-24 03:09:21.711+00', 2, '{"kind":"location","id":"0b000000-0000-4000-8000-000000000002","changedAt":"2026-11-24T03:09:21.711Z","data":{"id":"0b000000-0000-4000-8000-000000000002","siteId":"0b000000-0000-4000-8000-000000000001","code":"A","name":"棚","kind":"shelf","isActive":true,"createdAt":"2026-11-24T03:09:21.711Z","updatedAt":"2026-11-24T03:09:21.711Z"}}');
INSERT INTO public.member VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', 'b3480755-a117-4622-a536-f22f9f8a0d20', '{purchases.read,purchases.write,inventory.read,inventory.write,inventory.cost,integrations.manage,members.manage}', true, '2026-11-24 03:09:21.243+00', '2026-11-24 03:09:21.243+00');
INSERT INTO public.oauth_artifact VALUES ('Grant', 'Dv6r47CY4UMqc8gQVwrfYvdyJZbrdb8BmTBo0oIHrKo', '{"exp": 2110849763, "iat": 1795489763, "kind": "Grant", "openid": {"scope": "offline_access"}, "clientId": "app_jeSpYKlzhnxDlzCcnbKGkrlTAGguCss7k64mEkDf3yQ", "accountId": "b3480755-a117-4622-a536-f22f9f8a0d20", "resources": {"http://127.0.0.1:56480/partner/v1": "inventory:read"}}', 'Dv6r47CY4UMqc8gQVwrfYvdyJZbrdb8BmTBo0oIHrKo', NULL, '2036-11-21 03:09:23.285+00');
INSERT INTO public.oauth_artifact VALUES ('AccessToken', 'D0LeP8tquN2T_f7uWQwCeaggqQ5fcqqCIWrziTEDJCw', '{"aud": "http://127.0.0.1:56480/partner/v1", "exp": 1795490663, "gty": "authorization_code", "iat": 1795489763, "kind": "AccessToken", "scope": "inventory:read", "grantId": "Ls28wWQ5-fdQ5npUk8IDmC_aHU7NdAfMh9rWsJtV5eY", "clientId": "app_jeSpYKlzhnxDlzCcnbKGkrlTAGguCss7k64mEkDf3yQ", "accountId": "b3480755-a117-4622-a536-f22f9f8a0d20", "expiresWithSession": false}', 'Dv6r47CY4UMqc8gQVwrfYvdyJZbrdb8BmTBo0oIHrKo', NULL, '2026-11-24 03:24:23.288+00');
INSERT INTO public.oauth_artifact VALUES ('RefreshToken', 'ylw32IybAWMNcwQRp6GT0DwtTFoluE5tQ-exFXSWx_A', '{"exp": 4102444800, "gty": "authorization_code", "iat": 1795489763, "iiat": 1795489763, "kind": "RefreshToken", "scope": "offline_access inventory:read", "grantId": "Ls28wWQ5-fdQ5npUk8IDmC_aHU7NdAfMh9rWsJtV5eY", "clientId": "app_jeSpYKlzhnxDlzCcnbKGkrlTAGguCss7k64mEkDf3yQ", "resource": "http://127.0.0.1:56480/partner/v1", "accountId": "b3480755-a117-4622-a536-f22f9f8a0d20", "rotations": 0, "expiresWithSession": false}', 'Dv6r47CY4UMqc8gQVwrfYvdyJZbrdb8BmTBo0oIHrKo', NULL, '2100-01-01 00:00:00+00');
INSERT INTO public.product VALUES ('0a000000-0000-4000-8000-000000000003', '0a000000-0000-4000-8000-0000000000aa', '星降るBOX', 'box', NULL, 'ja', NULL, true, '2026-11-24 03:09:20.252+00');
INSERT INTO public.schema_migration VALUES (1, 'shops', '2026-11-24 03:08:22.209383+00');
INSERT INTO public.schema_migration VALUES (2, 'apps', '2026-11-24 03:08:22.218486+00');
INSERT INTO public.schema_migration VALUES (3, 'catalog', '2026-11-24 03:08:22.22244+00');
INSERT INTO public.schema_migration VALUES (4, 'inventory', '2026-11-24 03:08:22.229641+00');
INSERT INTO public.schema_migration VALUES (5, 'grants', '2026-11-24 03:08:22.23899+00');
INSERT INTO public.schema_migration VALUES (6, 'connections', '2026-11-24 03:08:22.244632+00');
INSERT INTO public.schema_migration VALUES (7, 'cursor_keys', '2026-11-24 03:08:22.248287+00');
INSERT INTO public.schema_migration VALUES (8, 'sign_in', '2026-11-24 03:08:22.249992+00');
INSERT INTO public.shop VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', 'kumo', '雲カード', 'JPY', '2026-11-24 03:09:20.747+00');
INSERT INTO public.shop_grade VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', '0b000000-0000-4000-8000-000000000003', 'A', '美品', 'shop', '当店', '2026-11-24 03:09:21.715+00');
INSERT INTO public.shop_key VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', 'd8c16052-477b-4920-b2a3-9fc70e555a7f', 'till', 'LvKxIrh9lk9FBuRsc1PXMB6MAP63JEQW0bOlmQNQnN0', '2026-11-24 03:09:22.668+00', NULL);
INSERT INTO public.signing_key VALUES ('current', '\xd71ced5543d491ed7c6c757ef3ba1a344f137c2f2121085a4b5112da790a9bef9016aa45f3caefb544fa64f17ed459786194a21bc40b17f4e352faf8f28638c8e06c3deff4cc10749e2d5ea5fbc9186eeee157401d463e5769db9f2b04c9f40a96a120fea35b9f79f8cf4a9a2e23549ef15e0d6134760e4d79b11fe13858b62e75bf17c1a832218a6b62f2ace095a99e4f59de756348ebf586ab01d634fdff6e98f13f3be9b6fb4f9a57214332ecbb40bece241aeedc8ebc9938495cec5cf6caae98725c77c00957e256a247506f05630793f7376449a2fa9dade97d33b483898f3dfee022d243e8b25f6bcb32590c307025e24e52cc6c924d16fe8f9e75cb0b0ee4a3b4c5e2ceb2b2c5607a654ae8e2fd01a4ee29c0936cedc9bc09c975881b57474f23bacbe1efe266875850241f7b588ae69080742e9d38516e1f4d408b0ea6e6bfee685541ce9a7178f338d4c9d21521f24bc7f73e669f4da41b5865dd551fd9d98d2c542da6216bdde0352e4082eb04f81091b75d35de9ccd6c3788f87680b287f2060b334f1daa903e34b48e62cc098223e65903ad90a62531c584f838eac54d64816c0e2e687a9482f00d5efeb58ca21a7d17e500d521e37fe34a211b4a81fa32d3a9fcfb7cc1e3baf58d925e7394f5aae2a9fb2ea3fd529e7f3e1c91bf49bdc230635d23022759de01b3276a1658e79f0cecaa7bd9d7bfa3541ccb600cb971b74909a9a4b53065c6b32f1ec2df5ffd3d1e48a6c76b3ac9550a00e07601f42f957f37b144a6d4c1bef82b8f74de3942f20993c0ad4fadea84a96f7367b282af50cf2bfb8582db038b50359e1c07d4b919812384ca05f6b14f55239ca70b0c01bd1bf2edd4a8ac152d6238a92c2f11bc1d694c1cb6791a0698f5a28785c2bb9c014c4f2739530adc3c6270451d40cb2cebc0ac1aff5fa722457121843785dc49d9a3c3fe6a138fe0f66ba13d98db56a7480d476da9a1290241343a7bdc86c61113ee787d01e49fba98e073aea8193ceb69e456131aaacb683293ccd7aa0befc369dc6e74a34552d757d269b938c069aa9a0bb811c04d5d6b7a41339f0d88501e6a3ac193fcf70f689c1b9473cf27ef01e43c7bdfa31b1bc74d10e4aac56f3b9bbff06974747ec6cfa7b8bd629b1497dc11f64b3137818e10067006fe428a1febfe70c69c1c0c80a10bffe529295131972a18c2aa0ab7e8bd0187e6d7a7dc1fd2d113b2608728f57264fea7d7039eacb63237b30783c9ee92591cde8a6ff2075b970e5b0de026b44756400c6acda459dc78c433cc0c8a961f72e4ccb90901ebd0171c47b429c93693773c57a0bd77f3c6c81953c3e6cf3ad330706844275909a7a49e63f2146ae26564168d472f2f32e8df065caf38992f64dcd45249de335b97324038b484597c1fe4feb707207427ba36b38c3364e11e5bf88160cda83bba8c00f4bd3f64cd5986a8107ee3803a34fe9e9af96f3b275f5d68f966856d234902163c423ef4aa78f1460a0077e36e8a235ecf068915948bc0437bc4eb9528ae72be422003c859b4d97dd7e73a4364933776efe8d5f42a093c4333f89439b21db70a48c012b2ecc28ae9ccdc2960add1299af150d16569f111eb8a36570d7d618eca9e3cf7052fe3385db32f0697f1cd7cac2e85ae372982289ce1897f07837a5ef06bdee2d708113562268b9de36480d96f1ddb3d7737866bf3268c19284c7d64c888422eca03980722a94bf8be478c757dd19891e0faadf1ecc631a94c29c4533f2f536cbc6babe8f1e95d187b9b96416e8de34a69e378e1ab7a60e84cf37cdb65495f172ffd40214cb77047f48c9b40bb6e5b354893c78166fe8ff4b8529df7b6e15acdc4923360ca5830672c8f34229b1fdc2b29cd8d9f658f54765affb7261b5e153d33667921a2d5b5497e222a9b300402d8fccca580b30609cce749e82f3ba630b74bad844ba1e489614bdeded8e1700cc6113a943e8881b4068fe5bd769ddd477ed2ae5feeaae87c6abf9e59dc65df6ea0f5c7129c4e4f19613a68a1d33b5c453be725131a7edbf92b9f6b57d17cc424f18f33d933858dc2efa6b5e3874a79d72d3fa912edf44a866f61e612310b0a1504903d750247dab78e1aa7d7619723ec7f6279cfc71d56ed105a8e0f234d67c862447252857a70c360cf930afaa4e4e2f4100327a167060cbf50598e1008472e9088bde9c1f08ba0ca436b1eb2e627236d2d6dcfdc17210a8a27de27299c0f40679d3735e6ed4b2c47cb52f833b94363602dbd3437150695c114322948925f10e4fe9c885cb40cd62518878c288afef091f1cb3d1a7189e51d5a5a85e7921183a6e018f9b996dd3a98c921fa1cd718e2abaffa425da19b23c2be6708834e5bb6f6f0a5cc5b5301218842e0335ce0ea09e3c7e738e1baa0cd078c91c2', '2026-11-24 03:09:23.223+00');
INSERT INTO public.site VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', '0b000000-0000-4000-8000-000000000001', 'main', '本店', 'store', 'JP', 'Asia/Tokyo', true, '2026-11-24 03:09:21.705+00', '2026-11-24 03:09:21.705+00', 3, '{"kind":"site","id":"0b000000-0000-4000-8000-000000000001","changedAt":"2026-11-24T03:09:21.711Z","data":{"id":"0b000000-0000-4000-8000-000000000001","code":"main","name":"本店","kind":"store","countryCode":"JP","timezone":"Asia/Tokyo","isActive":true,"createdAt":"2026-11-24T03:09:21.705Z","updatedAt":"2026-11-24T03:09:21.705Z","locations":[{"id":"0b000000-0000-4000-8000-000000000002","siteId":"0b000000-0000-4000-8000-000000000001","code":"A","name":"棚","kind":"shelf","isActive":true,"createdAt":"2026-11-24T03:09:21.711Z","updatedAt":"2026-11-24T03:09:21.711Z"}]}}');
INSERT INTO public.third_party_grade VALUES ('0a000000-0000-4000-8000-000000000004', '10', 'Gem 10', 'kgs', 'Kumo', '2026-11-24 03:09:20.252+00');
INSERT INTO public.unit VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', '0c000000-0000-4000-8000-000000000001', 'in_stock', '0b000000-0000-4000-8000-000000000001', '0b000000-0000-4000-8000-000000000002', '0a000000-0000-4000-8000-000000000001', '0b000000-0000-4000-8000-000000000003', NULL, NULL, NULL, 'owned', 98000, NULL, 'JPY', '[]', NULL, '2026-11-24 03:09:21.719+00', '2026-11-24 03:09:21.719+00', '2026-11-24 03:09:21.719+00', 5, 4, '{"kind":"unit","id":"0c000000-0000-4000-8000-000000000001","changedAt":"2026-11-24T03:09:21.719Z","data":{"id":"0c000000-0000-4000-8000-000000000001","status":"in_stock","siteId":"0b000000-0000-4000-8000-000000000001","locationId":"0b000000-0000-4000-8000-000000000002","item":{"kind":"card","card":{"id":"0a000000-0000-4000-8000-000000000001","name":"蒼天竜アルバ","localizedNames":{},"cardNumber":null,"setTotalRaw":null,"janCode":null,"languageCode":"ja","variant":null,"finish":null,"imageUrl":null,"rarity":null,"set":null,"game":{"id":"0a000000-0000-4000-8000-0000000000aa","code":"skyfall","name":"空のかけら"}},"grade":{"id":"0b000000-0000-4000-8000-000000000003","code":"A","label":"美品","serviceCode":"shop","serviceName":"当店","serviceKind":"internal"}},"certNumber":null,"serialNumber":null,"ownership":"owned","priceMinor":98000,"currency":"JPY","photos":[],"acquiredAt":null,"statusChangedAt":"2026-11-24T03:09:21.719Z","createdAt":"2026-11-24T03:09:21.719Z","updatedAt":"2026-11-24T03:09:21.719Z","costMinor":');
INSERT INTO public.unit VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', '0c000000-0000-4000-8000-000000000002', 'sold', '0b000000-0000-4000-8000-000000000001', NULL, '0a000000-0000-4000-8000-000000000002', '0a000000-0000-4000-8000-000000000004', NULL, NULL, NULL, 'owned', NULL, NULL, 'JPY', '[]', NULL, '2026-11-24 03:09:21.719+00', '2026-11-24 03:09:21.719+00', '2026-11-24 03:09:21.719+00', 5, 5, '{"kind":"unit","id":"0c000000-0000-4000-8000-000000000002","changedAt":"2026-11-24T03:09:21.719Z","data":{"id":"0c000000-0000-4000-8000-000000000002","status":"sold","siteId":"0b000000-0000-4000-8000-000000000001","locationId":null,"item":{"kind":"card","card":{"id":"0a000000-0000-4000-8000-000000000002","name":"もう一枚","localizedNames":{},"cardNumber":null,"setTotalRaw":null,"janCode":null,"languageCode":"ja","variant":null,"finish":null,"imageUrl":null,"rarity":null,"set":null,"game":{"id":"0a000000-0000-4000-8000-0000000000aa","code":"skyfall","name":"空のかけら"}},"grade":{"id":"0a000000-0000-4000-8000-000000000004","code":"10","label":"Gem 10","serviceCode":"kgs","serviceName":"Kumo","serviceKind":"third_party"}},"certNumber":null,"serialNumber":null,"ownership":"owned","priceMinor":null,"currency":"JPY","photos":[],"acquiredAt":null,"statusChangedAt":"2026-11-24T03:09:21.719Z","createdAt":"2026-11-24T03:09:21.719Z","updatedAt":"2026-11-24T03:09:21.719Z","costMinor":');
INSERT INTO public.unit VALUES ('b7e6dcba-6464-40c3-8912-7995d8b6bfde', '0c000000-0000-4000-8000-000000000003', 'in_stock', '0b000000-0000-4000-8000-000000000001', NULL, NULL, NULL, '0a000000-0000-4000-8000-000000000003', NULL, NULL, 'owned', NULL, NULL, 'JPY', '[]', NULL, '2026-11-24 03:09:21.719+00', '2026-11-24 03:09:21.719+00', '2026-11-24 03:09:21.719+00', 5, 6, '{"kind":"unit","id":"0c000000-0000-4000-8000-000000000003","changedAt":"2026-11-24T03:09:21.719Z","data":{"id":"0c000000-0000-4000-8000-000000000003","status":"in_stock","siteId":"0b000000-0000-4000-8000-000000000001","locationId":null,"item":{"kind":"product","product":{"id":"0a000000-0000-4000-8000-000000000003","name":"星降るBOX","productKind":"box","janCode":null,"languageCode":"ja","imageUrl":null,"game":{"id":"0a000000-0000-4000-8000-0000000000aa","code":"skyfall","name":"空のかけら"}}},"certNumber":null,"serialNumber":null,"ownership":"owned","priceMinor":null,"currency":"JPY","photos":[],"acquiredAt":null,"statusChangedAt":"2026-11-24T03:09:21.719Z","createdAt":"2026-11-24T03:09:21.719Z","updatedAt":"2026-11-24T03:09:21.719Z","costMinor":');
SELECT pg_catalog.setval('public.catalog_position', 5, true);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (shop_id, client_id);
ALTER TABLE ONLY public.app_secret
    ADD CONSTRAINT app_secret_pkey PRIMARY KEY (shop_id, client_id, secret_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_pkey PRIMARY KEY (shop_id, approval_id);
ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_pkey PRIMARY KEY (card_id);
ALTER TABLE ONLY public.catalog_change
    ADD CONSTRAINT catalog_change_pkey PRIMARY KEY (entry_kind, entry_id);
ALTER TABLE ONLY public.catalog_restamp
    ADD CONSTRAINT catalog_restamp_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_pkey PRIMARY KEY (shop_id, connection_id);
ALTER TABLE ONLY public.cursor_key
    ADD CONSTRAINT cursor_key_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY public.feed_head
    ADD CONSTRAINT feed_head_pkey PRIMARY KEY (shop_id);
ALTER TABLE ONLY public.game
    ADD CONSTRAINT game_pkey PRIMARY KEY (game_id);
ALTER TABLE ONLY public.location
    ADD CONSTRAINT location_pkey PRIMARY KEY (shop_id, location_id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_pkey PRIMARY KEY (shop_id, account_id);
ALTER TABLE ONLY public.oauth_answer
    ADD CONSTRAINT oauth_answer_pkey PRIMARY KEY (request_hash);
ALTER TABLE ONLY public.oauth_artifact
    ADD CONSTRAINT oauth_artifact_pkey PRIMARY KEY (model, id);
ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (product_id);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (session_hash);
ALTER TABLE ONLY public.shop_grade
    ADD CONSTRAINT shop_grade_pkey PRIMARY KEY (shop_id, grade_id);
ALTER TABLE ONLY public.shop_key
    ADD CONSTRAINT shop_key_pkey PRIMARY KEY (shop_id, key_id);
ALTER TABLE ONLY public.shop
    ADD CONSTRAINT shop_pkey PRIMARY KEY (shop_id);
ALTER TABLE ONLY public.shop
    ADD CONSTRAINT shop_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.sign_in_attempt
    ADD CONSTRAINT sign_in_attempt_pkey PRIMARY KEY (key_hash);
ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (slot);
ALTER TABLE ONLY public.site
    ADD CONSTRAINT site_pkey PRIMARY KEY (shop_id, site_id);
ALTER TABLE ONLY public.third_party_grade
    ADD CONSTRAINT third_party_grade_pkey PRIMARY KEY (grade_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_pkey PRIMARY KEY (shop_id, unit_id);
CREATE UNIQUE INDEX account_email ON public.account USING btree (lower(email));
CREATE INDEX app_client ON public.app USING btree (client_id);
CREATE INDEX approval_app ON public.approval USING btree (shop_id, client_id);
CREATE INDEX approval_grant ON public.approval USING btree (grant_hash);
CREATE INDEX card_jan ON public.card USING btree (jan_code) WHERE (jan_code IS NOT NULL);
CREATE INDEX catalog_change_position ON public.catalog_change USING btree ("position");
CREATE UNIQUE INDEX connection_active ON public.connection USING btree (shop_id, client_id) WHERE (status = 'active'::text);
CREATE INDEX connection_app ON public.connection USING btree (shop_id, client_id);
CREATE INDEX location_feed ON public.location USING btree (shop_id, seq);
CREATE INDEX location_site ON public.location USING btree (shop_id, site_id);
CREATE INDEX member_account ON public.member USING btree (account_id);
CREATE INDEX oauth_answer_expiry ON public.oauth_answer USING btree (expires_at);
CREATE INDEX oauth_answer_grant ON public.oauth_answer USING btree (grant_hash);
CREATE INDEX oauth_artifact_expiry ON public.oauth_artifact USING btree (expires_at);
CREATE INDEX oauth_artifact_grant ON public.oauth_artifact USING btree (grant_hash) WHERE (grant_hash IS NOT NULL);
CREATE INDEX session_account ON public.session USING btree (account_id);
CREATE INDEX session_expiry ON public.session USING btree (expires_at);
CREATE INDEX shop_key_hash ON public.shop_key USING btree (key_hash);
CREATE INDEX sign_in_attempt_window ON public.sign_in_attempt USING btree (window_started_at);
CREATE INDEX site_feed ON public.site USING btree (shop_id, seq);
CREATE INDEX unit_card ON public.unit USING btree (card_id, catalog_position) WHERE (card_id IS NOT NULL);
CREATE INDEX unit_feed ON public.unit USING btree (shop_id, seq);
CREATE INDEX unit_grade ON public.unit USING btree (grade_id, catalog_position) WHERE (grade_id IS NOT NULL);
CREATE INDEX unit_product ON public.unit USING btree (product_id, catalog_position) WHERE (product_id IS NOT NULL);
ALTER TABLE ONLY public.app_secret
    ADD CONSTRAINT app_secret_shop_id_client_id_fkey FOREIGN KEY (shop_id, client_id) REFERENCES public.app(shop_id, client_id);
ALTER TABLE ONLY public.app
    ADD CONSTRAINT app_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_shop_id_account_id_fkey FOREIGN KEY (shop_id, account_id) REFERENCES public.member(shop_id, account_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_shop_id_client_id_fkey FOREIGN KEY (shop_id, client_id) REFERENCES public.app(shop_id, client_id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.card
    ADD CONSTRAINT card_game_id_fkey FOREIGN KEY (game_id) REFERENCES public.game(game_id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_shop_id_client_id_fkey FOREIGN KEY (shop_id, client_id) REFERENCES public.app(shop_id, client_id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT connection_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.feed_head
    ADD CONSTRAINT feed_head_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.location
    ADD CONSTRAINT location_shop_id_site_id_fkey FOREIGN KEY (shop_id, site_id) REFERENCES public.site(shop_id, site_id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_game_id_fkey FOREIGN KEY (game_id) REFERENCES public.game(game_id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id);
ALTER TABLE ONLY public.shop_grade
    ADD CONSTRAINT shop_grade_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.shop_key
    ADD CONSTRAINT shop_key_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.site
    ADD CONSTRAINT site_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shop(shop_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_card_id_fkey FOREIGN KEY (card_id) REFERENCES public.card(card_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.product(product_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_shop_id_location_id_fkey FOREIGN KEY (shop_id, location_id) REFERENCES public.location(shop_id, location_id);
ALTER TABLE ONLY public.unit
    ADD CONSTRAINT unit_shop_id_site_id_fkey FOREIGN KEY (shop_id, site_id) REFERENCES public.site(shop_id, site_id);
