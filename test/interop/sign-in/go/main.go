// A client of golang.org/x/oauth2 and go-oidc that knows nothing but the issuer: it prints where the browser has to go,
// reads where the browser came back to, and prints what it has found out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	if len(os.Args) != 6 {
		log.Fatal("issuer, client id, secret, redirect URI, where to come after the logout")
	}
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Args[1])
	check(err)
	config := oauth2.Config{
		ClientID:     os.Args[2],
		ClientSecret: os.Args[3],
		RedirectURL:  os.Args[4],
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{oidc.ScopeOpenID, "profile"},
	}
	verifier := oauth2.GenerateVerifier()
	state, nonce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))

	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	check(err)
	back, err := url.Parse(strings.TrimSpace(line))
	check(err)
	if back.Query().Get("state") != state {
		log.Fatal("another state")
	}
	tokens, err := config.Exchange(ctx, back.Query().Get("code"), oauth2.VerifierOption(verifier))
	check(err)
	first := verify(ctx, provider, tokens)
	if first.Nonce != nonce {
		log.Fatal("another nonce")
	}
	check(first.VerifyAccessToken(tokens.AccessToken))
	person, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	check(err)
	claims := struct {
		Name string `json:"name"`
	}{}
	check(person.Claims(&claims))

	// neither library has a function for it
	metadata := struct {
		EndSession string `json:"end_session_endpoint"`
	}{}
	check(provider.Claims(&metadata))
	logout := url.Values{}
	logout.Set("id_token_hint", tokens.Extra("id_token").(string))
	logout.Set("post_logout_redirect_uri", os.Args[5])
	logout.Set("state", "bye")

	// as if the access token had ended
	tokens.Expiry = time.Now().Add(-time.Minute)
	renewed, err := config.TokenSource(ctx, tokens).Token()
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"sub":       first.Subject,
		"name":      claims.Name,
		"refreshed": verify(ctx, provider, renewed).Subject,
		"isNew":     renewed.AccessToken != tokens.AccessToken,
		"logout":    metadata.EndSession + "?" + logout.Encode(),
	}))
}

func verify(ctx context.Context, provider *oidc.Provider, tokens *oauth2.Token) *oidc.IDToken {
	raw, ok := tokens.Extra("id_token").(string)
	if !ok {
		log.Fatal("no ID token")
	}
	token, err := provider.Verifier(&oidc.Config{ClientID: os.Args[2]}).Verify(ctx, raw)
	check(err)
	return token
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
